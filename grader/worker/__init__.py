"""The process split: `host` runs in the grader, `child` beside the student's code, `wire` between them."""

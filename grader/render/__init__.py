"""Renderers: a Report becomes text. Pure; printing, width and colour are the command line's business.

terminal, plain     for people; both draw the same `page`
html                the same page for a browser, and a part of one for a notebook
maps_text           who attends to what, yours beside the right one: for terminal and plain
maps_html           the same for html
map_numbers         how a map's numbers are written, in either
junit, json_text    for machines
gradescope, github  for the platforms that grade with this
marks_csv           a class's marks, for a spreadsheet
canvas, moodle      a class's marks, for gradebooks
roster              finding students in a teacher's own list
reason              why a check earned less than it could
page                what a report says to a person: grouped, counted and worded, not yet drawn
words               numbers and counts in words
characters          what a stranger's text may put on a screen
lines               cutting and wrapping by the cells a terminal gives each character
"""

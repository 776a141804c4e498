"""Renderers: a Report becomes text. Pure; printing, width and colour are the command line's business.

terminal, plain     for people; both draw the same `page`
junit, json_text    for machines
page                what a report says to a person: grouped, counted and worded, not yet drawn
words               numbers and counts in words
characters          what a stranger's text may put on a screen
lines               cutting and wrapping by the cells a terminal gives each character
"""

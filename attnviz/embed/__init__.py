"""Films in lessons: the files that a page needs to show a scene, and the text to paste into it, for each kind of page.

Here are the choice, what lies beside the page, and the snippets. Nothing here draws, computes, or writes into a page
of somebody's.
"""

"""The audit: what a scene shows, compared with its records, at rest and inside every play.

Start with `auditor.Audit`. Each file looks at one sort of thing and yields complaints, each a line that names an entry.
Nothing here draws, and nothing here changes what is looked at.
"""

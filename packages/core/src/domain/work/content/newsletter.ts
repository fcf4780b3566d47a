import { titleOf } from './blog/markdown.ts'

/** What a newsletter's Markdown says about itself. */
export interface NewsletterText {
  /** Of the mail: the line “Subject: …”, or else the title. */
  subject: string
  /** What inboxes show behind it: the line “Preview: …”; empty without one. */
  preview: string
  /** The text without these two lines. */
  body: string
}

/** How long such a line may be, characters. */
const longestLine = 1_000

/**
 * Takes the lines apart that stand above the text of a newsletter. They may be in bold, and a heading may stand before or between them; from the
 * first other line on it is all text.
 */
export function newsletterOf(markdown: string): NewsletterText {
  const lines = markdown.split('\n')
  const found: { subject?: string; preview?: string } = {}
  const kept: string[] = []
  let at = 0
  for (; at < lines.length; at += 1) {
    const line = lines[at] ?? ''
    const field = fieldOf(line)
    if (field) found[field.name] ??= field.value
    else if (line.trim() === '' || /^#\s/.test(line)) kept.push(line)
    else break
  }
  const { subject, preview = '' } = found
  return {
    subject: titleOf(subject === undefined ? markdown : `# ${subject}`),
    preview: preview.slice(0, 200),
    body: [...kept, ...lines.slice(at)].join('\n'),
  }
}

function fieldOf(line: string): { name: 'subject' | 'preview'; value: string } | undefined {
  if (line.length > longestLine) return undefined
  const [, name, value = ''] =
    /^[*_\s]*(subject|preview)(?: line| text)?[*_\s]*:[*_\s]*(\S.*)$/i.exec(line) ?? []
  if (name === undefined) return undefined
  return { name: name.toLowerCase() as 'subject' | 'preview', value: value.replace(/[*_\s]+$/, '') }
}

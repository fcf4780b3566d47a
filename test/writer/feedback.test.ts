import { describe, expect, it } from 'vitest'
import { type PieceKind, pieceKinds } from '../../packages/writer/src/brief.ts'
import { compose } from '../../packages/writer/src/compose.ts'
import { wishesOf } from '../../packages/writer/src/feedback.ts'
import { withoutNotes } from '../../packages/writer/src/notes.ts'
import { granola } from './granola.ts'

const write = (deliverable: PieceKind, ...feedback: string[]) =>
  compose({
    campaign: 'Spring breakfast',
    markdown: granola,
    deliverable,
    step: { kind: 'draft', title: 'Draft' },
    feedback,
  })
const body = (deliverable: PieceKind, ...feedback: string[]) => withoutNotes(write(deliverable, ...feedback))
const letters = pieceKinds.filter((kind) => !/audit|report/.test(kind))

describe('compose with feedback', () => {
  it.each(pieceKinds)('%s gets shorter as a whole, and says so', (kind) => {
    const text = write(kind, 'Too long, make it shorter.')
    expect(text.length).toBeLessThan(write(kind).length)
    expect(text).toContain('made shorter')
  })

  it.each(letters)('%s gets longer, out of the brief, and says what that lacks', (kind) => {
    expect(body(kind, 'Can you expand on this?').length).toBeGreaterThan(body(kind).length)
    expect(write(kind, 'make it longer')).toContain('More facts are needed')
  })

  it.each(letters)('%s mentions what the brief knows with the words of the brief', (kind) => {
    const text = write(kind, 'Please mention roasted hazelnuts')
    expect(body(kind, 'Please mention roasted hazelnuts')).toMatch(
      /made with roasted hazelnuts|Roasted hazelnuts/,
    )
    expect(text).toContain('mentions “roasted hazelnuts”')
  })

  it.each(pieceKinds)(
    '%s mentions what the brief does not know without claiming anything, and asks for facts',
    (kind) => {
      const text = write(kind, 'Include our free delivery')
      expect(withoutNotes(text)).toContain('ree delivery')
      expect(text).toContain('facts about “our free delivery”, of which the brief says nothing')
    },
  )

  it('uses a reviewer’s statement as a fact', () => {
    expect(body('blog_post', 'mention that we deliver on Sundays')).toContain('\nWe deliver on Sundays.\n')
  })

  it('leads with the requested message', () => {
    expect(body('blog_post', 'Lead with the kids')).toMatch(/^# Kids can help themselves\n/)
    expect(body('social_post', 'start with “baked by hand”')).toMatch(/^Every bag is baked by hand/)
    expect(body('email_newsletter', 'Put the hazelnuts first')).toMatch(
      /Hi there,\n\nCacao Hazelnut Granola is made with roasted hazelnuts\./,
    )
  })

  it.each([
    'Don’t say "by hand".',
    "don't say by hand",
    'Remove the phrase “by hand”',
    'Please drop the words by hand from the text',
    'avoid saying by hand',
    'Shorter, and never use "by hand" again',
  ])('removes wording: %s', (note) => {
    expect(body('blog_post')).toContain('by hand')
    for (const kind of pieceKinds) expect(write(kind, note)).not.toMatch(/by hand/i)
  })

  it.each([
    'Replace "breakfast" with "brunch"',
    'Say brunch instead of breakfast',
    'instead of breakfast, use brunch',
  ])('replaces wording: %s', (note) => {
    const text = body('email_newsletter', note)
    expect(text).not.toMatch(/breakfast/i)
    expect(text).toContain('A good brunch takes two minutes')
  })

  it('sets and strengthens the call to action', () => {
    expect(body('blog_post', 'Change the CTA to: Visit our bakery')).toContain('**Visit our bakery.**')
    expect(body('blog_post', 'Change the CTA to: Visit our bakery')).not.toContain('sample box')
    const count = (text: string) => text.split('Order a sample box').length
    expect(count(body('blog_post', 'Add a clear call to action'))).toBe(count(body('blog_post')) + 1)
  })

  it('makes the tone friendlier or more formal', () => {
    expect(body('email_newsletter', 'Too chatty, more formal please', 'more professional')).toContain(
      'Dear reader,',
    )
    const formal = (...feedback: string[]) =>
      compose({
        campaign: 'C',
        voice: 'formal',
        markdown: granola,
        deliverable: 'email_newsletter',
        step: { kind: 'draft', title: '' },
        feedback,
      })
    expect(formal()).toContain('Dear reader,')
    expect(formal('a bit friendlier')).toContain('Hello,')
  })

  it('uses a given headline, or another one', () => {
    expect(body('blog_post', 'Headline should be "Breakfast, sorted"')).toMatch(/^# Breakfast, sorted\n/)
    const other = body('blog_post', 'The headline is weak, try another').split('\n')[0]
    expect(other).toBe('# Get to know Maple Pecan Granola')
    expect(body('social_post', 'needs a headline')).toMatch(/^\*\*/)
  })

  it('omits hashtags', () => {
    expect(body('social_post')).toContain('#MaplePecanGranola')
    expect(body('social_post', 'no hashtags please')).not.toContain('#')
  })

  it('applies several instructions of one note and of several notes', () => {
    const text = write(
      'blog_post',
      'Shorter, friendlier and lead with the kids. Mention Sunday delivery.',
      '- no mention of "own kitchen"\n- new headline',
    )
    expect(text).toMatch(/Changed after review:.*made shorter.*a friendlier tone/)
    expect(text).toContain('now leads with “the kids”')
    expect(text).toContain('Sunday delivery')
    expect(withoutNotes(text)).not.toContain('own kitchen')
  })

  it('applies a vague note from the brief when possible, and says so', () => {
    const text = write('gbp_post', 'What about the hazelnuts?')
    expect(withoutNotes(text)).toContain('hazelnuts')
    expect(text).toContain('took up from the brief what fits “What about the hazelnuts?”')
  })

  it('reports what it cannot do', () => {
    const text = write('blog_post', 'This does not sparkle')
    expect(text).toContain('Not understood, left to a person or a connected model: “This does not sparkle”')
    expect(withoutNotes(text)).toBe(body('blog_post'))
  })
})

describe('wishesOf', () => {
  it('prefers the latest note', () => {
    expect(wishesOf(['Lead with price', 'Lead with taste'])).toMatchObject({ lead: 'price' })
    expect(wishesOf(['longer', 'shorter'])).toMatchObject({ length: 0 })
    expect(wishesOf(['CTA: Call us', 'CTA: Write to us'])).toMatchObject({ action: { text: 'Call us' } })
  })

  it.each([
    ["Don't forget to mention the warranty", { mentions: ['the warranty'], bans: [] }],
    ['cut it down', { length: -1, bans: [] }],
    ['avoid jargon', { bans: [], rest: ['avoid jargon'] }],
    ['much shorter', { length: -2 }],
    ['more detail about shipping', { length: 1, mentions: ['shipping'] }],
    ['Could you add something about shipping please', { mentions: ['shipping'] }],
    ['', { rest: [] }],
  ])('parses %j', (note, wishes) => {
    expect(wishesOf([note])).toMatchObject(wishes)
  })
})

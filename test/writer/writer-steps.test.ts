import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { compose } from '../../packages/writer/src/compose.ts'
import { withoutNotes } from '../../packages/writer/src/notes.ts'
import { knowledgeQuery } from '../../packages/writer/src/steps.ts'
import { write } from './granola.ts'

describe('compose, ad_copy', () => {
  const listed = (text: string, under: string) =>
    (text.split(`## ${under}\n`)[1]?.split('\n## ')[0] ?? '')
      .match(/^\d+\. .*$/gm)
      ?.map((line) => line.replace(/^\d+\. | \(\d+\)$/g, '')) ?? []

  it('uses whole phrases of the brief, with their lengths', () => {
    expect(listed(write('ad_copy'), 'Headlines')).toContain('Order a sample box')
    expect(write('ad_copy')).toContain('Maple Pecan Granola (19)')
    expect(listed(write('ad_copy'), 'Descriptions')[0]).toBe(
      'A good breakfast takes two minutes, even on a school day. Order a sample box.',
    )
  })

  it('never exceeds 30 characters in a headline and 90 in a description', () => {
    const text = fc.stringMatching(/^[A-Za-z ,.-]{1,140}$/)
    fc.assert(
      fc.property(
        fc.array(text),
        fc.array(text, { maxLength: 3 }),
        text,
        text,
        (keyMessages, facts, callToAction, note) => {
          const written = compose({
            campaign: 'C',
            deliverable: 'ad_copy',
            step: { kind: 'draft', title: '' },
            products: [{ name: 'Lamp', facts }],
            keyMessages,
            callToAction,
            feedback: [`replace lamp with ${note}`, `mention ${note}`],
          })
          for (const each of listed(written, 'Headlines')) expect(each.length).toBeLessThanOrEqual(30)
          for (const each of listed(written, 'Descriptions')) expect(each.length).toBeLessThanOrEqual(90)
        },
      ),
    )
  })

  it('asks for shorter material when too little fits', () => {
    const keyMessages = [`This message ${'goes on and on '.repeat(8)}without a place to cut it`]
    expect(write('ad_copy', { markdown: '', products: [{ name: 'Lamp', facts: [] }], keyMessages })).toMatch(
      /Still needed:.*short phrases for headlines/,
    )
  })
})

describe('compose, steps', () => {
  const step = (kind: string, title = kind) => ({ step: { kind, title } })

  it('derives an unknown kind from its title', () => {
    expect(write('blog_post', step('task', 'Outline the article'))).toMatch(/^# Outline of the blog post/)
    expect(write('blog_post', step('task', 'Keyword research'))).toMatch(/^# Research notes/)
    expect(write('blog_post', step('task', 'Something'))).toBe(write('blog_post'))
  })

  it('marks the claims of the brief that need a source', () => {
    expect(write('blog_post', step('research'))).toContain(
      '- [ ] Is there a source for this: “Every bag is baked by hand',
    )
    expect(write('blog_post', step('research'))).toContain('No outside source was read.')
  })

  it('quotes the documents of the client in research notes, with the numbers of the sources', () => {
    const text = `# Prices\n\n| Bag | Price |\n|---|---|\n| Large | 4.50 euros |\n\n${'Very long. '.repeat(60)}`
    const passages = [{ n: 3, title: 'prices.md', text }]
    const notes = write('blog_post', { ...step('research'), passages })
    expect(notes).toMatch(
      /^- “\| Bag \| Price \| \| Large \| 4\.50 euros \| Very long\. .* …” \[3\], in prices\.md$/m,
    )
    expect(notes).toContain('from the client’s own documents')
    expect(write('blog_post', { ...step('draft'), passages })).toBe(write('blog_post', step('draft')))
  })

  it('looks for the subject of research notes only', () => {
    const brief = { campaign: 'Spring', topic: 'granola', keyword: 'breakfast' }
    expect(knowledgeQuery({ ...brief, ...step('research') })).toBe('granola breakfast')
    expect(knowledgeQuery({ ...brief, ...step('draft') })).toBeUndefined()
  })

  it('edits the text of another writer without rewriting it', () => {
    const priorText =
      '# Breakfast\n\nOur superfood is great. It fills you up.\n\n- one thing\n- a guilt-free thing\n'
    const text = write('blog_post', {
      ...step('edit'),
      priorText,
      feedback: ['shorter, and say "lunch" instead of "breakfast"'],
    })
    expect(withoutNotes(text)).toBe(
      '# Lunch\n\nIt fills you up.\n\n- one thing\n\nOrder a sample box at oatandember.example',
    )
    expect(text).toContain('wording replaced; left out the wording that was to go; added the call to action')
    expect(text).toContain('Left as it was: length.')
    expect(text).not.toContain('made shorter')
  })

  it('removes its own closing lines before it edits, so that they do not accumulate', () => {
    const priorText = write('blog_post')
    const text = write('blog_post', { ...step('edit'), priorText })
    expect(text).toBe(priorText)
  })
})

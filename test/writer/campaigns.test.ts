import { describe, expect, it } from 'vitest'
import { compose } from '../../packages/writer/src/compose.ts'
import { withoutNotes } from '../../packages/writer/src/notes.ts'
import { parseBrief } from '../../packages/writer/src/parse.ts'

const step = { kind: 'outline', title: 'Brief' }
const known = {
  campaign: 'Rye at night',
  step,
  company: 'Hearth & Oat',
  about: 'Hearth & Oat bakes rye bread in Bristol.',
  products: [{ name: 'Night loaf', facts: ['Baked at night'] }],
  audience: 'Families in Bristol. They buy bread for the week.',
  audiences: [{ name: 'Cafés', description: 'They order before noon.' }],
  voice: 'Warm and plain',
  bannedPhrases: ['best ever'],
  goal: 'more orders',
  terms: ['Its budget is 250 USD'],
}

describe('compose of a campaign’s brief', () => {
  it('is a brief that texts can be composed of, and says what is missing', () => {
    const text = compose({ ...known, preparation: 'campaign_brief' })
    const { title, company, products, audience, voice, bannedPhrases, goal } = parseBrief(withoutNotes(text))
    expect({ title, company, audience, voice, bannedPhrases, goal }).toEqual({
      title: 'Rye at night',
      company: 'Hearth & Oat',
      audience: 'Families in Bristol. They buy bread for the week',
      voice: 'Warm and plain.',
      bannedPhrases: ['best ever'],
      goal: 'More orders. Its budget is 250 USD.',
    })
    expect(products).toEqual([{ name: 'Night loaf', facts: ['Baked at night'] }])
    expect(text).toContain('Still needed: key messages and a call to action.')
    const post = compose({ campaign: 'Rye', step: { kind: 'draft', title: 'Draft' }, markdown: text })
    expect(post.match(/No model was used/g)).toHaveLength(1)
    expect(post).not.toContain('best ever')
  })
})

describe('compose of an audience', () => {
  it('names the groups of the brief and the brand, and none of its own', () => {
    const headings = (text: string) => text.match(/^## .*$/gm)
    const text = compose({ ...known, preparation: 'audience' })
    expect(headings(text)).toEqual(['## Families in Bristol. They buy bread for the week', '## Cafés'])
    expect(text).toContain('They order before noon.')
    expect(headings(compose({ campaign: 'Rye', step, preparation: 'audience' }))).toBeNull()
  })
})

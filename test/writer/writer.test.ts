import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { pieceKinds } from '../../packages/writer/src/brief.ts'
import { compose } from '../../packages/writer/src/compose.ts'
import { PROVENANCE, withoutNotes } from '../../packages/writer/src/notes.ts'
import { granola, write } from './granola.ts'

const steps = ['plan', 'research', 'outline', 'draft', 'edit', 'report'].map((kind) => ({
  kind,
  title: kind,
}))
const everything = pieceKinds.flatMap((kind) => steps.map((step) => [kind, step] as const))

describe('compose', () => {
  it.each(everything)(
    '%s, %o: ends with the line that says what wrote it, keeps out what is banned, and repeats itself',
    (kind, step) => {
      const text = write(kind, { step })
      expect(text.trimEnd().split('\n').at(-1)).toBe(PROVENANCE)
      expect(PROVENANCE).toMatch(/built-in writer.*No model was used/)
      expect(text.match(/No model was used/g)).toHaveLength(1)
      for (const wording of [/superfood/i, /guilt-free/i, /clean eating/i]) expect(text).not.toMatch(wording)
      expect(text).not.toMatch(/undefined|lorem|\[object|TODO|\{\{/i)
      expect(write(kind, { step })).toBe(text)
    },
  )

  it.each(everything.filter(([kind, step]) => kind !== 'ad_copy' && step.kind !== 'plan'))(
    '%s, %o: holds no figure that the brief does not hold',
    (kind, step) => {
      const known = new Set(granola.match(/\d+/g))
      for (const figure of write(kind, { step }).match(/\d+/g) ?? []) expect(known).toContain(figure)
    },
  )

  it.each(pieceKinds.filter((kind) => !kind.endsWith('_report')))(
    '%s speaks of the product and asks for the one thing of the brief',
    (kind) => {
      expect(write(kind)).toContain('Maple Pecan Granola')
      expect(write(kind)).toMatch(/order a sample box/i)
    },
  )

  it.each(['blog_post', 'social_post', 'email_newsletter', 'backlink'] as const)(
    '%s speaks to the audience in whole sentences',
    (kind) => {
      expect(write(kind)).toContain('busy parents who want a decent breakfast on school days')
      expect(write(kind).replaceAll('**', '')).toContain(
        'Maple Pecan Granola is baked in small batches. It has no refined sugar.',
      )
    },
  )

  it.each(pieceKinds.filter((kind) => kind !== 'performance_report'))(
    '%s keeps the goal of the campaign to itself',
    (kind) => {
      expect(write(kind)).not.toContain('200')
    },
  )

  it('gives a blog post a headline, sections and an end', () => {
    const lines = write('blog_post').split('\n')
    expect(lines[0]).toBe('# A good breakfast takes two minutes, even on a school day')
    expect(lines.filter((line) => line.startsWith('## '))).toEqual([
      '## Why you might like it',
      '## Maple Pecan Granola',
      '## Cacao Hazelnut Granola',
      '## Ready when you are',
    ])
  })

  it('takes another angle for each text of a period', () => {
    const first = [0, 1, 2].map((variant) => write('blog_post', { variant }).split('\n')[0])
    expect(new Set(first).size).toBe(3)
  })

  it('uses the requested topic as the headline', () => {
    const text = write('blog_post', { topic: 'five ways to eat granola', keyword: 'granola recipes' })
    expect(text).toMatch(/^# Five ways to eat granola\n/)
    expect(text).toContain('If you are looking for granola recipes, start here.')
  })

  it('does not use a long instruction as a topic', () => {
    const topic = `Write something about the new opening hours ${'and the other things that we spoke about '.repeat(3)}`
    expect(write('blog_post', { topic })).toBe(write('blog_post'))
  })

  it('writes for each platform', () => {
    const text = write('social_post', {
      platforms: ['professional_network', 'short_video_network', 'some_forum'],
    })
    for (const title of ['## Professional network', '## Short video', '## Some forum'])
      expect(text).toContain(title)
    expect(write('social_post')).not.toContain('## ')
    const ids = ['01HZX3V4M5N6P7Q8R9S0T1A2B3', '01HZX3V4M5N6P7Q8R9S0T1A2B4']
    expect(write('social_post', { platforms: ids })).toBe(write('social_post'))
  })

  it('keeps a directory post within its limit and names a button', () => {
    const keyMessages = Array.from(
      { length: 60 },
      (_, at) => `Message ${at} says something that is rather long for one post`,
    )
    const text = withoutNotes(write('gbp_post', { keyMessages }))
    expect(text.length).toBeLessThan(1600)
    expect(text).toContain('**Button:** Order online')
  })

  it('reports that an audit and a report have no data, and how to provide it', () => {
    expect(write('website_audit')).toMatch(/No data source.*no findings/)
    expect(write('website_audit')).toContain('- [ ] ')
    expect(write('website_audit')).toContain('the address of the site')
    expect(write('performance_report')).toMatch(/No data source.*no figures/)
    expect(write('performance_report')).toContain(
      '| Visits | not connected | not connected | web analytics |',
    )
  })

  it('reports that a link request has no site', () => {
    expect(write('backlink')).toContain('No list of sites is connected')
  })

  it('writes a letter to each address that the brief names as a recipient, and to no other', () => {
    const markdown = `## Products
Lumen Lamp. Ask sales@lumen.example.

## Prospects
- Ann, <ann@light.example>; Bob (bob@light.example).
- ann@light.example, a@b, @, ${'x'.repeat(300)}@long.example`
    const text = write('backlink', { markdown })
    expect(text.match(/^To: .*$/gm)).toEqual(['To: ann@light.example', 'To: bob@light.example'])
    expect(text).not.toContain('No list of sites is connected')
  })

  it('lists what a thin brief lacks, and writes what it can', () => {
    const text = write('blog_post', {
      markdown: '## Products\nLumen Lamp\n\n## Key messages\n- Light that follows the sun.',
    })
    expect(text).toContain('Light that follows the sun')
    expect(text).toMatch(/Still needed: facts about Lumen Lamp, the audience, a call to action/)
    expect(write('blog_post')).not.toContain('Still needed')
  })

  it.each(pieceKinds.filter((kind) => !/audit|report/.test(kind)))(
    '%s invents nothing out of an empty brief',
    (kind) => {
      const text = write(kind, { markdown: '' })
      expect(text).toContain('says nothing yet')
      expect(text).toContain('- [ ] The audience.')
    },
  )

  it('prefers the fields of the brief to its Markdown', () => {
    const text = write('email_newsletter', {
      callToAction: 'Call us',
      company: 'Ember Ltd',
      bannedPhrases: ['breakfast'],
    })
    expect(text).toContain('**Call us.**')
    expect(text).toContain('Ember Ltd')
    expect(text).not.toMatch(/breakfast/i)
  })

  it('follows the voice of the brief', () => {
    expect(write('email_newsletter')).toContain('Hi there,')
    expect(write('email_newsletter', { voice: 'Formal and precise' })).toContain('Dear reader,')
    expect(write('email_newsletter', { voice: 'Clear, not too formal' })).toContain('Hello,')
  })

  it('never throws, whatever the brief contains', () => {
    const words = fc.string({
      unit: fc.constantFrom(
        '#',
        '-',
        '*',
        ' ',
        '\n',
        '"',
        '(',
        '[',
        '\\',
        '.',
        ':',
        'a',
        'Avoid',
        'é',
        '$&',
        '+',
      ),
    })
    fc.assert(
      fc.property(
        fc.constantFrom(...everything),
        words,
        fc.array(words, { maxLength: 3 }),
        words,
        ([deliverable, step], markdown, feedback, priorText) => {
          const text = compose({ campaign: 'C', markdown, deliverable, step, feedback, priorText })
          expect(text.endsWith(`${PROVENANCE}\n`)).toBe(true)
        },
      ),
    )
  })
})

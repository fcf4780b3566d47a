import { describe, expect, it } from 'vitest'
import { parseBrief } from '../../packages/writer/src/parse.ts'
import { granola } from './granola.ts'

describe('parseBrief', () => {
  it('reads sections under headings', () => {
    expect(parseBrief(granola)).toEqual({
      title: 'Spring breakfast campaign',
      company: 'Oat & Ember',
      about: 'Oat & Ember is a small-batch granola bakery in Leeds.',
      products: [
        {
          name: 'Maple Pecan Granola',
          facts: ['baked in small batches', 'no refined sugar', 'comes in a 400 g bag'],
        },
        {
          name: 'Cacao Hazelnut Granola',
          facts: ['vegan', 'gluten free', 'made with roasted hazelnuts', 'a superfood'],
        },
      ],
      audience: 'Busy parents who want a decent breakfast on school days',
      voice: 'Warm, plain, a little playful. No jargon.',
      keyMessages: [
        'A good breakfast takes two minutes, even on a school day.',
        'Every bag is baked by hand in our own kitchen.',
        'Kids can help themselves.',
        'Guilt-free from the first spoon.',
      ],
      callToAction: 'Order a sample box at oatandember.example',
      bannedPhrases: ['superfood', 'guilt-free', 'clean eating'],
      goal: 'Get 200 sample box orders in April.',
    })
  })

  it('reads bold labels on lines', () => {
    const brief = parseBrief(
      [
        '**Company:** Northwind Cycles',
        '**Products:** City bikes, cargo bikes and e-bikes',
        '**Target audience:** London commuters',
        '**Tone of voice:** professional',
        '**Key messages:**',
        '1. Every bike comes with a service plan',
        '2. Test rides are free',
        '**CTA:** Book a test ride',
        '**Don\'t say:** cheap; "game changer"',
      ].join('\n'),
    )
    expect(brief).toEqual({
      company: 'Northwind Cycles',
      products: ['City bikes', 'cargo bikes', 'e-bikes'].map((name) => ({ name, facts: [] })),
      audience: 'London commuters',
      voice: 'professional',
      keyMessages: ['Every bike comes with a service plan', 'Test rides are free'],
      callToAction: 'Book a test ride',
      bannedPhrases: ['game changer', 'cheap'],
    })
  })

  it('reads labels in a list', () => {
    const brief = parseBrief('- **Audience:** parents\n- **Voice:** warm\n- Call to action: Order now')
    expect(brief).toEqual({ audience: 'parents', voice: 'warm', callToAction: 'Order now' })
  })

  it('reads products with headings and lists of their own', () => {
    const { products } = parseBrief(
      '## What we sell\n### Desk Lamp\nAdjusts to daylight. Has a five-year warranty.\n### Floor Lamp\n- dimmable\n- oak base\n## Next step\nVisit us',
    )
    expect(products).toEqual([
      { name: 'Desk Lamp', facts: ['Adjusts to daylight', 'Has a five-year warranty'] },
      { name: 'Floor Lamp', facts: ['dimmable', 'oak base'] },
    ])
  })

  it('reads facts in a list below a product', () => {
    const { products } = parseBrief(
      '## Products\n- Desk Lamp\n  - dimmable\n  - oak base\n- Floor Lamp (brass, 2 m)',
    )
    expect(products).toEqual([
      { name: 'Desk Lamp', facts: ['dimmable', 'oak base'] },
      { name: 'Floor Lamp', facts: ['brass', '2 m'] },
    ])
  })

  it('classifies sentences without headings by their words, and keeps instructions out of the copy', () => {
    const brief = parseBrief(
      'We are a law firm in Bristol. We help tenants get their deposit back. Our customers are private renters. Tone: calm. Avoid "guaranteed". Write three posts about deposits.',
    )
    expect(brief).toEqual({
      about: 'We are a law firm in Bristol.',
      keyMessages: ['We help tenants get their deposit back.'],
      audience: 'private renters',
      voice: 'Tone: calm.',
      bannedPhrases: ['guaranteed'],
      goal: 'Write three posts about deposits.',
    })
  })

  it('joins a list of audiences and detects the tone to avoid', () => {
    const brief = parseBrief('# Who is it for?\n- Runners\n- Cyclists in town\n\n# Tone to avoid\n- cynical')
    expect(brief).toEqual({ audience: 'Runners and cyclists in town', bannedPhrases: ['cynical'] })
  })

  it('finds nothing in an empty brief', () => {
    expect(parseBrief('')).toEqual({})
    expect(parseBrief('\n\n---\n')).toEqual({})
  })
})

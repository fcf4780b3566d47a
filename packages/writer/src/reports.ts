import { productNames } from './articles.ts'
import { type Block, boxes, bullets, heading, para } from './blocks.ts'
import type { Material } from './material.ts'
import { phrase } from './wording.ts'

/** A checklist for the site, made from the brief. It contains no findings: no page has been read. */
export function websiteAudit(m: Material): Block[] {
  return [
    heading(1, `Website audit: ${m.company ?? m.brief.campaign}`),
    para([
      'No data source for the website is connected, so this document contains no findings.',
      'It is the list to check by hand, made from the brief; results appear here only when somebody fills them in.',
    ]),
    ...asked(m),
    heading(2, 'Message'),
    boxes([
      ...(m.lead
        ? [`The first screen of the home page says this, in these or other words: “${m.lead}”`]
        : ['The first screen of the home page says what is offered and to whom.']),
      ...(m.audience ? [`A visitor can tell at once that this is for ${m.audience}.`] : []),
      ...m.messages.map((each) => `Somewhere on the way to a decision, a visitor reads: “${each}”`),
      ...(m.voice ? [`The texts keep to the voice of the brief: ${phrase(m.voice)}.`] : []),
    ]),
    heading(2, 'Products'),
    boxes(
      m.products.map((product) =>
        product.facts.length > 0
          ? `${product.name} has a page of its own that states: ${product.facts.join('; ')}.`
          : `${product.name} has a page of its own.`,
      ),
    ),
    heading(2, 'Next step'),
    boxes([
      m.action
        ? `Every page leads to the call to action: ${m.action}`
        : 'Every page has one clear next step.',
      'The way there works on a phone, from the first tap to the confirmation.',
    ]),
    heading(2, 'Being found', 1),
    boxes(
      [
        'Every page has a title and a description of its own that name what it is about.',
        'Search engines may index the pages that matter, and a sitemap lists them.',
        'No link leads to an error page, and moved pages redirect.',
        ...(m.brief.keyword ? [`A page answers the search for “${m.brief.keyword}”.`] : []),
      ],
      1,
    ),
    heading(2, 'Speed and access', 1),
    boxes(
      [
        'Pages appear quickly on a slow phone connection; measure this with a tool and note the figure and the date.',
        'Text has enough contrast, images have a description, and forms can be used with the keyboard.',
      ],
      1,
    ),
    heading(2, 'Trust', 2),
    boxes(
      [
        'Contact details, terms and privacy are one tap away.',
        'Every claim on the site has a source that could be shown.',
      ],
      2,
    ),
    heading(2, 'What is needed for findings'),
    bullets([
      'the address of the site',
      'access to web analytics and to the search console, or their exports',
    ]),
  ]
}

/** The template of a report with the questions to answer. It contains no figures: none are known. */
export function performanceReport(m: Material): Block[] {
  const measures: [string, string][] = [
    ['Visits', 'web analytics'],
    ['Searches that led to the site', 'search console'],
    ['Money spent on advertising', 'advertising accounts'],
    [
      m.action ? `Call to action followed (${phrase(m.action)})` : 'Call to action followed',
      'web analytics or shop',
    ],
    ['Pieces delivered and approved', 'Copydesk'],
  ]
  return [
    heading(1, `Performance report: ${m.brief.campaign}`),
    para([
      'No data source is connected to this report, so it contains no figures.',
      'It shows what will be measured and which questions the figures have to answer.',
    ]),
    ...asked(m),
    heading(2, 'Goal'),
    para([m.goal ?? 'The brief names no goal. Without one, figures cannot be called good or bad.']),
    heading(2, 'Figures'),
    {
      weight: 0,
      table: [
        ['Measure', 'This period', 'Period before', 'Source'],
        ...measures.map(([name, source]) => [name, 'not connected', 'not connected', source]),
      ],
    },
    heading(2, 'Questions to answer'),
    bullets([
      ...(m.audience ? [`Did the pieces reach ${m.audience}?`] : ['Whom did the pieces reach?']),
      ...(m.action
        ? [`How many people did what was asked: “${phrase(m.action)}”?`]
        : ['What did people do after reading?']),
      ...(m.products.length > 1 ? [`Which drew most interest: ${productNames(m)}?`] : []),
      ...[m.lead, ...m.messages].flatMap((each) => (each ? [`Did this message work: “${each}”`] : [])),
    ]),
    heading(2, 'Before drawing conclusions', 1),
    boxes(
      [
        'Compare periods of the same length.',
        'Note holidays, price changes and outages in the period.',
        'Keep what was measured apart from what is assumed.',
      ],
      1,
    ),
    heading(2, 'What is needed for figures'),
    bullets([
      'a connection to web analytics and the search console',
      'a connection to the advertising accounts in use',
      'the dates of the period',
    ]),
  ]
}

function asked(m: Material): Block[] {
  return [heading(2, 'Asked for in review'), bullets(m.extras)]
}

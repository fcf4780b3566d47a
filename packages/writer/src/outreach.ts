import { type Block, boxes, heading, para } from './blocks.ts'
import type { Material } from './material.ts'
import { productSentences } from './wording.ts'

/** The most recipients of one text. */
const mostRecipients = 20
const longestAddress = 254

/**
 * E-mails that ask other sites for a link, one section for each recipient that the brief names; without any, one letter with a list of what is
 * missing. A section is sent as it is once it is approved.
 */
export function outreach(m: Material): Block[] {
  const [product] = m.products
  const subject = product?.name ?? m.company ?? m.brief.campaign
  const recipients = recipientsOf(m.brief.markdown ?? '')
  const title = heading(1, `Link request: ${subject}`)
  if (recipients.length === 0)
    return [title, heading(2, 'Letter'), ...letter(m, '(the address of the editor)'), ...missing(m)]
  return [
    title,
    ...recipients.flatMap((address) => [heading(2, `Letter to ${address}`), ...letter(m, address)]),
    heading(2, 'Before this goes out'),
    para(['The letters go to the addresses that the brief names.']),
    boxes([
      'Read each site, and say in its letter why its readers would care.',
      'Put in the address of our page that the link should lead to.',
    ]),
  ]
}

function letter(m: Material, to: string): Block[] {
  const subject =
    m.wishes.headline ?? (m.company ? `A suggestion from ${m.company}` : 'A suggestion for your readers')
  const who = m.company && `I am writing on behalf of ${m.company}.`
  const about =
    m.company && m.about?.startsWith(`${m.company} is `)
      ? m.about.replace(`${m.company} is`, 'We are')
      : m.about
  return [
    para([`To: ${to}`]),
    para([`Subject: ${subject}`]),
    para([m.says.greeting.replace('reader', 'editor')]),
    para([who, about]),
    para([
      m.audience
        ? `You may have readers among ${m.audience}, and we have a page that could be of use to them.`
        : 'We have a page that could be of use to your readers.',
      m.lead,
    ]),
    para(m.extras),
    para(m.messages, 1),
    ...m.products.map((each) => para(productSentences(each), 1)),
    para(['Would a link to it fit on one of your pages?']),
    para(
      [
        'You are free to use the facts above in your own words, and we can send you a short text in the style of your site.',
      ],
      1,
    ),
    para([m.action && `If you would like to see for yourself first: ${m.action}`], 2),
    para([m.says.closing], 2),
    para([m.says.signOff]),
    para([m.company ?? 'The team']),
  ]
}

const missing = (m: Material): Block[] => [
  heading(2, 'Before this goes out'),
  para(['No list of sites is connected, so this letter names none.']),
  boxes([
    'Choose the site and the page on it, and write down why its readers would care.',
    'Put the e-mail address of the editor behind “To:”, and the name into the greeting.',
    'Put in the address of our page that the link should lead to.',
    m.action
      ? `Check that our page makes the next step easy: ${m.action}`
      : 'Decide what a visitor should do on our page.',
  ]),
]

const namesRecipients = /\b(prospects?|recipients?|outreach|editors?|publishers?|sites to|write to)\b/i

/** The e-mail addresses in those parts of a brief that speak of recipients; others, such as the customer's own, are no recipients. */
function recipientsOf(markdown: string): string[] {
  const found = new Set<string>()
  let speaksOfThem = false
  for (const line of markdown.split('\n')) {
    const isNamed = namesRecipients.test(line)
    // A heading or a label opens a part, a blank line does not end it.
    if (/^#{1,6}\s|^[^\s-].*:\s*$/.test(line)) speaksOfThem = isNamed
    if (!(speaksOfThem || isNamed)) continue
    for (const word of line.split(/[\s,;<>()|"'`*]+/)) {
      if (word.length > longestAddress) continue
      const address = word.replace(/^mailto:|[.:!?]+$/g, '')
      if (/^[^@]+@[^@]+\.[^@]+$/.test(address)) found.add(address)
      if (found.size === mostRecipients) return [...found]
    }
  }
  return [...found]
}

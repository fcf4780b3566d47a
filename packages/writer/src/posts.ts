import { type Block, bullets, heading, para } from './blocks.ts'
import type { Material } from './material.ts'
import { capitalised, phrase, productSentences } from './wording.ts'

const isId = (text: string) => /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/.test(text)

const LONGEST_LISTING = 1500

const platformNames: Readonly<Record<string, string>> = {
  professional_network: 'Professional network',
  social_network_a: 'Social network',
  photo_network: 'Photo network',
  short_video_network: 'Short video',
}

/** One post for each platform, in its usual form; one general post without a platform. */
export function socialPost(m: Material): Block[] {
  // A platform known only by its id has no printable name and no special form.
  const named = new Set((m.brief.platforms ?? []).map((platform) => (isId(platform) ? '' : platform)))
  const platforms = named.size > 0 ? [...named] : ['']
  return platforms.flatMap((platform) => [
    ...(platform ? [heading(2, platformNames[platform] ?? capitalised(platform.replaceAll('_', ' ')))] : []),
    ...(shapes[platform] ?? general)(m),
  ])
}

const shapes: Readonly<Record<string, (m: Material) => Block[]>> = {
  professional_network: (m) => [
    ...headed(m),
    para([m.lead]),
    para(m.extras),
    para([m.audience && m.says.forAudience(m.audience), facts(m)], 1),
    bullets(m.messages.slice(0, 3)),
    para([m.about], 2),
    ...closing(m, 3),
  ],
  photo_network: (m) => [
    ...headed(m),
    para([`**Picture:** ${m.products[0]?.name ?? 'what this post is about'}, from your own library.`]),
    para([m.lead]),
    para(m.extras),
    para([facts(m)], 1),
    para(m.messages.slice(0, 2), 2),
    ...closing(m, 5),
  ],
  short_video_network: (m) => [
    ...headed(m),
    para([m.lead && `**Opening, to the camera:** ${m.lead}`]),
    para([m.extras.length > 0 && `**Then:** ${m.extras.join(' ')}`]),
    para([facts(m) && `**Show ${m.products[0]?.name ?? 'it'}, and say:** ${facts(m)}`], 1),
    para([m.messages[0] && `**Words on the screen:** ${m.messages[0]}`], 1),
    para([m.messages[1] && `**Before the end:** ${m.messages[1]}`], 2),
    para([m.action && `**Last words:** ${m.action}`]),
    ...tags(m, 3),
  ],
}

function general(m: Material): Block[] {
  return [
    ...headed(m),
    para([m.lead]),
    para(m.extras),
    para([m.audience && m.says.forAudience(m.audience)], 1),
    para([facts(m)], 1),
    para(m.messages.slice(0, 2), 1),
    para(m.messages.slice(2), 2),
    para([m.about], 2),
    ...closing(m, 3),
  ]
}

/** A post has a headline only when requested. */
function headed(m: Material): Block[] {
  const wanted = m.wishes.headline ?? (m.wishes.otherHeadlines > 0 ? m.headlines[0] : undefined)
  return wanted ? [para([`**${capitalised(wanted)}**`])] : []
}

function closing(m: Material, most: number): Block[] {
  return [
    para([m.action && (m.wishes.action ? `**${m.action}**` : m.action)]),
    para([m.says.closing], 2),
    ...tags(m, most),
  ]
}

/** Hashtags from the names in the brief; popularity is unknown. */
function tags(m: Material, most: number): Block[] {
  if (m.wishes.noHashtags) return []
  const names = [...m.products.map((product) => product.name), m.company ?? '', m.brief.keyword ?? '']
  const made = names.flatMap((name) => {
    const words = phrase(name).match(/[\p{L}\p{N}]+/gu) ?? []
    const tag = words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('')
    return tag && tag.length <= 30 ? [`#${tag}`] : []
  })
  return [para([[...new Set(made)].slice(0, most).join(' ')], 1)]
}

/** What the first product is. */
function facts(m: Material): string {
  const [product] = m.products
  return product ? productSentences(product).join(' ') : ''
}

/** A post for the company's entry in a business directory: one block of text and a button. */
export function listingPost(m: Material): Block[] {
  const parts = [m.lead, ...m.extras, facts(m), ...m.messages, m.about, m.action]
  const text: string[] = []
  for (const part of parts) if (part && [...text, part].join(' ').length <= LONGEST_LISTING) text.push(part)
  const kept = (part: string | undefined) => part && text.includes(part) && part
  return [
    ...headed(m),
    para([kept(m.lead), ...m.extras.filter((each) => text.includes(each))]),
    para([kept(facts(m))], 1),
    para([kept(m.messages[0])]),
    para(
      m.messages.slice(1).filter((each) => text.includes(each)),
      1,
    ),
    para([kept(m.about)], 1),
    para([m.says.closing], 2),
    para([kept(m.action)]),
    para([`**Button:** ${buttonFor(m.action)}`], 1),
  ]
}

function buttonFor(action: string | undefined): string {
  const buttons: [RegExp, string][] = [
    [/\b(book|reserve)\b/i, 'Book'],
    [/\border\b/i, 'Order online'],
    [/\b(buy|shop)\b/i, 'Buy'],
    [/\b(sign up|subscribe|register|join)\b/i, 'Sign up'],
    [/\b(call|phone|ring)\b/i, 'Call now'],
  ]
  return buttons.find(([pattern]) => pattern.test(action ?? ''))?.[1] ?? 'Learn more'
}

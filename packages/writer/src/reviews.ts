import { type Block, heading, para } from './blocks.ts'
import type { ReviewRequests } from './brief.ts'
import type { Material } from './material.ts'

interface Wording {
  subject: string
  greeting: string
  text: (company: string, { platform, url }: ReviewRequests) => string
  closing: string
}

type Mails = readonly [first: Wording, reminder: Wording, last: Wording]

/** None asks for a good review, and none offers anything for one. */
const wordings: Record<ReviewRequests['tone'], Mails> = {
  friendly: [
    {
      subject: 'How was it, {{firstName}}?',
      greeting: 'Hello {{firstName}},',
      text: (company, { platform, url }) =>
        `thank you for choosing ${company}. Would you tell others how it was? A few honest words on ${platform} help them to decide, and take two minutes: ${url}`,
      closing: 'Thank you!',
    },
    {
      subject: 'Two minutes for a few words?',
      greeting: 'Hello {{firstName}},',
      text: (_, { platform, url }) =>
        `perhaps our last mail came at a bad moment. If you would like to say on ${platform} how it was, here is the way: ${url}`,
      closing: 'Thank you for reading.',
    },
    {
      subject: 'Our last question, {{firstName}}',
      greeting: 'Hello {{firstName}},',
      text: (_, { url }) => `this is the last time that we ask. Your words are welcome here: ${url}`,
      closing: 'All the best!',
    },
  ],
  professional: [
    {
      subject: 'Your experience with us',
      greeting: 'Dear {{firstName}} {{lastName}},',
      text: (company, { platform, url }) =>
        `thank you for your confidence in ${company}. We would be grateful for an honest review on ${platform}. It takes about two minutes: ${url}`,
      closing: 'Kind regards',
    },
    {
      subject: 'A reminder: your review',
      greeting: 'Dear {{firstName}} {{lastName}},',
      text: (_, { platform, url }) => `we would still value your view on ${platform}, whatever it is: ${url}`,
      closing: 'Kind regards',
    },
    {
      subject: 'A last reminder',
      greeting: 'Dear {{firstName}} {{lastName}},',
      text: (_, { url }) => `this is our last reminder. You can leave your review here: ${url}`,
      closing: 'Kind regards',
    },
  ],
  casual: [
    {
      subject: 'So, how did we do?',
      greeting: 'Hi {{firstName}},',
      text: (company, { platform, url }) =>
        `you have been with ${company}, and we are curious. Got two minutes for an honest word on ${platform}? ${url}`,
      closing: 'Cheers',
    },
    {
      subject: 'Still curious',
      greeting: 'Hi {{firstName}},',
      text: (_, { platform, url }) => `a quick nudge: your take on ${platform} goes here: ${url}`,
      closing: 'Cheers',
    },
    {
      subject: 'Last one, promise',
      greeting: 'Hi {{firstName}},',
      text: (_, { url }) => `we will not ask again. If you feel like it: ${url}`,
      closing: 'Cheers',
    },
  ],
}

/** Mails or text messages that ask customers for a review, one section each; those between the first and the last one are reminders. */
export function reviewRequests(m: Material): Block[] {
  const { reviews, campaign } = m.brief
  const title = heading(1, `Review requests: ${campaign}`)
  if (!reviews) return [title]
  const [first, reminder, last] = wordings[reviews.tone]
  const company = m.company ?? 'us'
  const mails = Array.from({ length: reviews.mails }, (_, n) =>
    n === 0 ? first : n === reviews.mails - 1 ? last : reminder,
  )
  return [
    title,
    ...mails.flatMap(({ subject, greeting, text, closing }, n) => [
      heading(2, `Mail ${n + 1}`),
      para([`Subject: ${subject}`]),
      ...(reviews.channel === 'sms'
        ? [para([`${greeting} ${text(company, reviews)}`])]
        : [para([greeting]), para([text(company, reviews)]), para([closing])]),
    ]),
  ]
}

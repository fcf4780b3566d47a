/** How a piece speaks; the brief's voice and the notes of reviewers decide. */
export type Register = 'friendly' | 'plain' | 'formal'

/** The sentences that a piece needs beside those of the brief. They claim nothing. */
export interface Phrasebook {
  forAudience(audience: string): string
  onTopic(topic: string): string
  /** A point that was asked for and about which the brief says nothing. */
  askAbout(point: string): string
  why: string
  points: string
  questions: string
  next: string
  closing: string
  greeting: string
  signOff: string
}

export const phrasebooks: Readonly<Record<Register, Phrasebook>> = {
  friendly: {
    forAudience: (audience) => `This one’s for ${audience}.`,
    onTopic: (topic) => `Let’s talk about ${topic}.`,
    askAbout: (point) => `Curious about ${point}? Just ask us.`,
    why: 'Why you might like it',
    points: 'The good bits',
    questions: 'You might be wondering',
    next: 'Ready when you are',
    closing: 'Got a question? Just ask, we’re happy to help.',
    greeting: 'Hi there,',
    signOff: 'Talk soon,',
  },
  plain: {
    forAudience: (audience) => `This is for ${audience}.`,
    onTopic: (topic) => `This article looks at ${topic}.`,
    askAbout: (point) => `Ask us about ${point}.`,
    why: 'Why it matters',
    points: 'The main points',
    questions: 'Questions and answers',
    next: 'What to do next',
    closing: 'If you have a question, ask us.',
    greeting: 'Hello,',
    signOff: 'Best wishes,',
  },
  formal: {
    forAudience: (audience) => `This is addressed to ${audience}.`,
    onTopic: (topic) => `This article considers ${topic}.`,
    askAbout: (point) => `We will gladly tell you more about ${point} on request.`,
    why: 'Why this is relevant',
    points: 'Key points',
    questions: 'Frequently raised questions',
    next: 'Next step',
    closing: 'We welcome your questions.',
    greeting: 'Dear reader,',
    signOff: 'Kind regards,',
  },
}

const order: readonly Register[] = ['friendly', 'plain', 'formal']

/**
 * The register that a description of a voice asks for.
 * @param shift steps towards formal (positive) or friendly (negative) that reviewers asked for on top
 */
export function registerOf(voice: string | undefined, shift: number): Register {
  const text = (voice ?? '').replace(/\b(?:not|no|never|without|nothing)\s+(?:too\s+)?[\p{L}-]+/giu, '')
  const friendly =
    /\b(friendl|warm|casual|conversational|playful|approachable|chatty|fun|informal|cheer|human)/i.test(text)
  const formal =
    /\b(formal|professional|authoritative|expert|serious|precise|academic|corporate|sober)/i.test(text)
  const start = friendly && !formal ? 0 : formal && !friendly ? 2 : 1
  return order[Math.max(0, Math.min(2, start + shift))] ?? 'plain'
}

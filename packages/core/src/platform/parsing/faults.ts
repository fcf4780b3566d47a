import { ParseFault } from './parsed.ts'

const shown = (count: number) => count.toLocaleString('en')

/** @param limit how much a file may have of something, and what that is */
export const tooLarge = (limit: number, what: string) =>
  new ParseFault(
    'too_large',
    `This file has more than ${shown(limit)} ${what}. Split it into several files and upload those.`,
  )

export const tooManyPages = (count: number, limit: number, pages: 'pages' | 'slides') =>
  new ParseFault(
    'too_many_pages',
    `This file has ${shown(count)} ${pages}; ${shown(limit)} are the most. Split it into several files and upload those.`,
  )

export const tooDeep = (limit: number) =>
  new ParseFault(
    'too_deep',
    `This file has more than ${shown(limit)} elements within each other. Save it again, or as PDF, and upload the new file.`,
  )

export const locked = () =>
  new ParseFault(
    'encrypted',
    'This file is protected by a password. Remove the password and upload it again.',
  )

export const damaged = (cause?: unknown) =>
  new ParseFault(
    'corrupt',
    'This file is damaged or incomplete. Save it again in the program that made it, and upload the new file.',
    cause,
  )

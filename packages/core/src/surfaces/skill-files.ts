import type { FileRules } from '../gateway/multipart.ts'

const markdown = ['.md', '.markdown', 'text/markdown']

/**
 * What the form of a skill may bring: the skill itself and texts that it refers to, each in Markdown.
 * @param maxBytes of one file
 * @param atLeast whether the skill itself must be among them
 */
export const skillFiles = (maxBytes: number, atLeast: 0 | 1) =>
  ({
    file: { maxBytes, minFiles: atLeast, types: markdown },
    references: { maxBytes, minFiles: 0, maxFiles: 20, types: markdown },
  }) satisfies FileRules

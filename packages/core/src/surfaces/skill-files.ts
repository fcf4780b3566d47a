import type { FileRules } from '../gateway/uploaded-file.ts'

const markdown = ['.md', '.markdown', 'text/markdown']

/**
 * The files of a skill's form: the skill itself and its references, each in Markdown.
 * @param maxBytes of one file
 * @param atLeast whether the skill itself is required
 */
export const skillFiles = (maxBytes: number, atLeast: 0 | 1) =>
  ({
    file: { maxBytes, minFiles: atLeast, types: markdown },
    references: { maxBytes, minFiles: 0, maxFiles: 20, types: markdown },
  }) satisfies FileRules

import { expect } from 'vitest'
import { parseDocument } from '../../packages/core/src/platform/parsing/parse.ts'
import {
  type ParsedDocument,
  type ParseEngine,
  ParseFault,
  type ParseReason,
} from '../../packages/core/src/platform/parsing/parsed.ts'

/** Reads a document in this thread. */
export const parsed = (content: Uint8Array | string, fileName: string, engine: ParseEngine = 'ADVANCED') =>
  // The bytes of a PDF are taken over.
  parseDocument({ source: new Uint8Array(Buffer.from(content)), fileName, engine })

/** The blocks of a document in short: `h2 Costs`, `text Some text`, `table | a | b |…`. */
export const shortly = ({ blocks }: ParsedDocument): string[] =>
  blocks.map(({ kind, level, text }) => `${kind === 'heading' ? `h${level}` : kind} ${text}`)

/** Expects that a document is rejected. */
export async function expectFault(
  content: Uint8Array | string,
  fileName: string,
  reason: ParseReason,
  message: RegExp,
) {
  const fault = await parsed(content, fileName).catch((error: unknown) => error)
  expect(fault, fileName).toBeInstanceOf(ParseFault)
  expect(fault, fileName).toMatchObject({ reason, message: expect.stringMatching(message) })
}

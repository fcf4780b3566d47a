import type { HtmlPage } from './html.ts'
import { parsingLimits } from './limits.ts'
import { fileTooLarge, parseDocument } from './parse.ts'
import { type ParsedDocument, type ParseEngine, ParseFault, type ParseReason } from './parsed.ts'

/** A document by its file or its bytes. */
export type ParseInput = ({ path: string } | { bytes: Uint8Array }) & {
  fileName: string
  engine: ParseEngine
}

/** A web page as it was received. */
export interface PageInput {
  bytes: Uint8Array
  url: string
  /** The encoding that was sent with it. */
  charset?: string | undefined
  mainTextOnly?: boolean | undefined
}

/** A fault is returned: thrown, it would arrive without its reason. */
export type Parsed<T> =
  | { value: T }
  | { fault: { reason: ParseReason; message: string; cause: string | undefined } }

/** What threads do with documents; a context that reads them in a way of its own adds to it. */
export const parseTasks = {
  parse: (input: ParseInput): Promise<Parsed<ParsedDocument>> => orFault(() => parseFile(input)),
  page: ({ bytes, charset, ...options }: PageInput): Promise<Parsed<HtmlPage>> =>
    orFault(async () => {
      if (bytes.length > parsingLimits.fileBytes) throw fileTooLarge()
      const { decodeMarkup, readHtml } = await import('./html.ts')
      return readHtml(decodeMarkup(bytes, charset), options)
    }),
}

/** @throws ParseFault */
export async function parseFile(input: ParseInput): Promise<ParsedDocument> {
  const { fileName, engine } = input
  return parseDocument({ source: 'bytes' in input ? input.bytes : { path: input.path }, fileName, engine })
}

/** Does work of a thread. @returns its result, or its fault */
export async function orFault<T>(work: () => Promise<T>): Promise<Parsed<T>> {
  try {
    return { value: await work() }
  } catch (error) {
    if (!(error instanceof ParseFault)) throw error
    const { reason, message, cause } = error
    return { fault: { reason, message, cause: cause instanceof Error ? cause.stack : undefined } }
  }
}

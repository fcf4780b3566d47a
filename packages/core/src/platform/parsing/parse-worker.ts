import { readFile, stat } from 'node:fs/promises'
import { serve } from '../threads/serve.ts'
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

const tasks = {
  parse: (input: ParseInput): Promise<Parsed<ParsedDocument>> =>
    caught(async () =>
      parseDocument({ ...input, bytes: 'bytes' in input ? input.bytes : await readUpload(input.path) }),
    ),
  page: ({ bytes, charset, ...options }: PageInput): Promise<Parsed<HtmlPage>> =>
    caught(async () => {
      if (bytes.length > parsingLimits.fileBytes) throw fileTooLarge()
      const { decodeMarkup, readHtml } = await import('./html.ts')
      return readHtml(decodeMarkup(bytes, charset), options)
    }),
}
export type ParseTasks = typeof tasks

// Started as a thread of its own, by the name of its file.
serve(tasks)

async function caught<T>(work: () => Promise<T>): Promise<Parsed<T>> {
  try {
    return { value: await work() }
  } catch (error) {
    if (!(error instanceof ParseFault)) throw error
    const { reason, message, cause } = error
    return { fault: { reason, message, cause: cause instanceof Error ? cause.stack : undefined } }
  }
}

async function readUpload(path: string): Promise<Uint8Array> {
  const { size } = await stat(path)
  if (size > parsingLimits.fileBytes) throw fileTooLarge()
  return readFile(path)
}

import type { Transaction } from '../../../../kernel/context.ts'
import { redact, redactText } from '../../../../platform/redact.ts'
import { type RunRow, TranscriptEntry, type TranscriptType } from '../entities.ts'
import { readText } from '../text/queries.ts'

/** Characters that are kept of one entry, and of all entries of a run together. */
const mostOfEntry = 200_000
const mostOfRun = 1_000_000
/** What an entry counts beside its text: a million empty ones are many, too. */
const entryWeight = 100

export interface NewEntry {
  type: TranscriptType
  content: string
  metadata?: Record<string, unknown>
  /** Where it belongs when that was earlier than now. */
  place?: TranscriptCursor | undefined
}

/** The id of an entry, which puts it in order, and its instant. */
export interface TranscriptCursor {
  id: string
  at: Date
}

/**
 * Adds to what can be read of a run afterwards, with secrets cut out. The caller holds the lock of the run. Beyond a million
 * characters a marker says that the rest was left out; how a run failed is kept all the same.
 */
export function addEntries(txn: Transaction, run: RunRow, entries: readonly NewEntry[]): void {
  for (const entry of entries) {
    const full = run.transcriptChars >= mostOfRun
    if (full && entry.type !== 'error') continue
    write(txn, run, entry)
    if (full || run.transcriptChars < mostOfRun) continue
    const content = `The transcript was cut here: it is longer than ${mostOfRun.toLocaleString('en')} characters.`
    write(txn, run, { type: 'system', content, metadata: { cut: true } })
  }
}

function write(txn: Transaction, run: RunRow, { type, content, metadata, place }: NewEntry): void {
  const text = shortened(redactText(content))
  const about = {
    ...(metadata && (redact(metadata) as object)),
    ...(run.attempt > 1 && { attempt: run.attempt }),
  }
  txn.em.create(TranscriptEntry, {
    id: place?.id ?? txn.newId(),
    tenantId: run.tenantId,
    runId: run.id,
    type,
    content: text,
    metadata: Object.keys(about).length > 0 ? about : null,
    at: place?.at ?? txn.clock.date(),
  })
  run.transcriptChars += text.length + entryWeight
}

function shortened(text: string): string {
  if (text.length <= mostOfEntry) return text
  const kept = text.slice(0, mostOfEntry).replace(/[\uD800-\uDBFF]$/, '')
  return `${kept}\n[cut: ${text.length - kept.length} more characters]`
}

/**
 * A tool call as two entries: what was asked, and what came of it.
 * @param answered default: now
 */
export function toolEntries(
  call: {
    toolName: string
    input?: unknown
    output?: unknown
    error?: string | undefined
    durationMs: number
  },
  asked: TranscriptCursor,
  answered?: TranscriptCursor,
): NewEntry[] {
  const { toolName, input, output, error, durationMs } = call
  return [
    { type: 'tool_use', content: asText(input), metadata: { toolName }, place: asked },
    {
      type: 'tool_result',
      content: error ?? asText(output),
      metadata: {
        toolName,
        durationMs: Math.round(durationMs),
        ...(error !== undefined && { failed: true }),
      },
      place: answered,
    },
  ]
}

function asText(value: unknown): string {
  if (value === undefined || value === null) return ''
  return typeof value === 'string' ? value : JSON.stringify(redact(value), null, 2)
}

/**
 * Keeps what a remote runtime has written during its run: the built-in loop does that turn by turn.
 * @param text what was delivered; undefined for what was streamed so far
 */
export async function saveRemoteText(txn: Transaction, run: RunRow, text?: string): Promise<void> {
  if (run.adapter === 'local' || run.adapter === null) return
  const content = text ?? (await readText(txn.tx, run.id, run.attempt, 0))
  if (content.trim() === '') return
  addEntries(txn, run, [
    { type: 'assistant', content, ...(text === undefined && { metadata: { streamed: true } }) },
  ])
}

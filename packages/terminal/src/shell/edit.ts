import { spawn } from 'node:child_process'
import type { Connection } from '../account/connection.ts'
import { type Draft, type Drafts, draftsOf } from '../account/drafts.ts'
import { editDraft } from '../account/edit-draft.ts'
import type { Line } from '../operations/operation.ts'
import { type Piece, pieceOf } from '../operations/show.ts'
import { changesBetween } from '../paper/compare.ts'
import { type DiffPaper, diffRows } from '../paper/diff.ts'
import type { Row } from '../paper/row.ts'
import { ageOf } from '../paper/words.ts'
import { confirmed } from './asking.ts'
import { Failure, wrongUsage } from './failure.ts'
import type { Talk } from './talk.ts'

/** How a text is to be edited: beginning anew, and without being asked. */
interface Ways {
  fresh: boolean
  yes: true | undefined
}

/** A verdict on the text as somebody has changed it. */
export interface EditedInput {
  input: Line['input']
  /** What was changed, to be seen before it is sent. */
  changes(paper: DiffPaper): Row[]
  /** It has been sent: the draft goes. */
  sent(): Promise<void>
}

/**
 * The input of a verdict on the text as somebody has changed it in their editor, bound to the version that they have read: a
 * newer one is not overwritten. What they write is kept as a draft until it has been sent; the next time begins with it.
 * @returns undefined when the person does not want to begin anew after all
 * @throws Failure when there is no text, or none to be approved, or the editor ends with a fault
 */
export async function editedInput(
  connection: Connection,
  input: Line['input'],
  { fresh, yes }: Ways,
  talk: Talk,
): Promise<EditedInput | undefined> {
  const [id, ...others] = input['ids'] as string[]
  if (id === undefined || others.length > 0) throw wrongUsage('--edit takes one approval at a time.')
  const { text, approval, activity } = await pieceOf(connection.desk, id)
  if (!text) throw new Failure(`${id} has no text that could be changed.`)
  const drafts = draftsOf(process.env, connection)
  await drafts.load()
  const about = {
    kind: 'text',
    approvalId: id,
    activityId: activity?.id,
    title: approval?.title ?? '',
    tenantName: approval?.tenantName ?? '',
    base: { version: text.version, hash: text.contentHash },
  } as const
  const draft = await goneOnWith(
    drafts,
    drafts.find(about),
    { fresh, yes, text, now: connection.desk.now() },
    talk,
  )
  if (draft === false) return undefined
  const edited = await editDraft(drafts, { about, text: text.text, draft }, openEditor)
  if (edited.outcome === 'emptied') throw new Failure('An empty text cannot be approved: nothing was done.')
  if (edited.outcome === 'kept')
    throw new Failure(
      `${(edited.fault as Error).message} What it saved is kept: the same command goes on with it.`,
    )
  if ('fault' in edited) throw edited.fault
  const hash = input['hash'] ?? text.contentHash
  if (edited.outcome === 'same') {
    talk.info('The text is as it was: it is approved unchanged.')
    return { input: { ...input, hash }, changes: () => [], sent: async () => undefined }
  }
  return {
    input: { ...input, hash, edited: edited.text },
    changes: (paper) => diffRows({ from: 0, to: 1, changes: changesBetween(text.text, edited.text) }, paper),
    sent: () => drafts.remove(edited.draft, edited.text),
  }
}

/** The draft that is gone on with, if any; false when the person does not want it to be discarded. */
async function goneOnWith(
  drafts: Drafts,
  draft: Draft | undefined,
  { fresh, yes, text, now }: Ways & { text: NonNullable<Piece['text']>; now: number },
  talk: Talk,
): Promise<Draft | undefined | false> {
  if (!draft) return undefined
  const age = ageOf(draft.changedAt, now)
  if (fresh) {
    if (!(await confirmed(`Discard your draft, written ${age} ago? It exists nowhere else.`, yes)))
      return false
    await drafts.remove(draft)
    return undefined
  }
  if (draft.base?.hash !== text.contentHash) {
    const from = `Your draft was made from version ${draft.base?.version ?? '?'}, and the text is version ${text.version} now.`
    if (yes) throw new Failure(`${from} Leave --yes out to see what it changes, or discard it with --fresh.`)
    talk.warn(from)
  }
  talk.info(`You go on with your draft, written ${age} ago; --fresh begins with the text as it is.`)
  return draft
}

/** Runs an editor as a shell would: its variable may hold options. What it says goes to stderr, stdout is for data. */
function openEditor(file: string): Promise<void> {
  const editor = process.env['VISUAL'] || process.env['EDITOR'] || 'vi'
  return new Promise((resolve, reject) => {
    const child = spawn(`${editor} "${file}"`, { shell: true, stdio: ['inherit', process.stderr, 'inherit'] })
    child.on('error', reject)
    child.on('exit', (code, signal) =>
      code === 0
        ? resolve()
        : reject(new Failure(`The editor ended with ${code ?? signal}: nothing was approved.`)),
    )
  })
}

import { spawn } from 'node:child_process'
import type { Connection } from '../account/connection.ts'
import { type Draft, type Drafts, draftsOf } from '../account/drafts.ts'
import { editDraft } from '../account/edit-draft.ts'
import type { Invocation } from '../operations/operation.ts'
import { type Piece, pieceOf } from '../operations/show.ts'
import { changesBetween } from '../render/compare.ts'
import { type DiffOptions, diffRows } from '../render/diff.ts'
import type { StyledLine } from '../render/row.ts'
import { ageOf } from '../render/words.ts'
import { Failure, wrongUsage } from './failure.ts'
import type { CliOutput } from './output.ts'
import { confirmed } from './prompts.ts'

/** Options of an edit: starting again, and without confirmation. */
interface Ways {
  fresh: boolean
  yes: true | undefined
}

/** A verdict on the edited text. */
export interface EditedInput {
  input: Invocation['input']
  /** The changes, shown before they are sent. */
  changes(renderOptions: DiffOptions): StyledLine[]
  /** It was sent: the draft is deleted. */
  sent(): Promise<void>
}

/**
 * The input of a verdict on a text that the user edits, bound to the version that was opened: a newer one is
 * not overwritten. The edited text is kept as a draft until it is sent; the next edit begins with it.
 * @returns undefined when the user decides not to start again
 * @throws Failure when there is no text, or an empty one, or the editor fails
 */
export async function editedInput(
  connection: Connection,
  input: Invocation['input'],
  { fresh, yes }: Ways,
  output: CliOutput,
): Promise<EditedInput | undefined> {
  const [id, ...others] = input['ids'] as string[]
  if (id === undefined || others.length > 0) throw wrongUsage('--edit takes one approval at a time.')
  const { text, approval, activity } = await pieceOf(connection.context, id)
  if (!text) throw new Failure(`${id} has no text that can be edited.`)
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
    { fresh, yes, text, now: connection.context.now() },
    output,
  )
  if (draft === false) return undefined
  const edited = await editDraft(drafts, { about, text: text.text, draft }, openEditor)
  if (edited.outcome === 'emptied') throw new Failure('An empty text cannot be approved: nothing was done.')
  if (edited.outcome === 'kept')
    throw new Failure(
      `${(edited.fault as Error).message} The saved text is kept: the same command continues with it.`,
    )
  if ('fault' in edited) throw edited.fault
  const hash = input['hash'] ?? text.contentHash
  if (edited.outcome === 'same') {
    output.info('The text is unchanged: it is approved as it is.')
    return { input: { ...input, hash }, changes: () => [], sent: async () => undefined }
  }
  return {
    input: { ...input, hash, edited: edited.text },
    changes: (renderOptions) =>
      diffRows({ from: 0, to: 1, changes: changesBetween(text.text, edited.text) }, renderOptions),
    sent: () => drafts.remove(edited.draft, edited.text),
  }
}

/** The draft to continue, if any; false when the user does not want to discard it. */
async function goneOnWith(
  drafts: Drafts,
  draft: Draft | undefined,
  { fresh, yes, text, now }: Ways & { text: NonNullable<Piece['text']>; now: number },
  output: CliOutput,
): Promise<Draft | undefined | false> {
  if (!draft) return undefined
  const age = ageOf(draft.changedAt, now)
  if (fresh) {
    if (!(await confirmed(`Discard your draft, written ${age} ago? There is no other copy.`, yes)))
      return false
    await drafts.remove(draft)
    return undefined
  }
  if (draft.base?.hash !== text.contentHash) {
    const from = `Your draft was made from version ${draft.base?.version ?? '?'}, and the text is version ${text.version} now.`
    if (yes) throw new Failure(`${from} Omit --yes to see what it changes, or discard it with --fresh.`)
    output.warn(from)
  }
  output.info(`You continue your draft, written ${age} ago; --fresh starts from the current text.`)
  return draft
}

/**
 * Runs an editor as a shell would: its variable may contain options. Its output goes to stderr, stdout is for
 * data.
 */
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

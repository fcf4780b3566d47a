import { randomBytes } from 'node:crypto'
import { access, constants, mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { Connection } from './connection.ts'
import { Failure } from '../shell/failure.ts'
import {
  type Draft,
  draftIn,
  type DraftSubject,
  idOf,
  isEmptyDraft,
  ownFolder,
  subjectFile,
} from './draft-folder.ts'
import { type Environment, profilesFile } from './profiles.ts'

export type { Draft, DraftKind, DraftSubject } from './draft-folder.ts'

/**
 * What a person has written and not sent, each draft in a folder of its own that only they can read. It is on the disk from the
 * first letter on, so that it outlives this process, a lost connection and an ended session. A draft goes when it has been sent
 * or is discarded, and at no other time.
 */
export interface Drafts {
  /** The latest first, as they were when they were last read or changed here. */
  readonly all: readonly Draft[]
  /** Called when they have been read or changed. */
  onChange?: () => void
  /** The folder that they are in for as long as it lasts, where the own one cannot be written. */
  readonly temporary: string | undefined
  /** Reads them anew: another terminal may have changed them. @throws Failure when they cannot be read */
  load(): Promise<void>
  /** The draft about an approval, or about an earlier one of the same piece of work. */
  find(about: Pick<DraftSubject, 'kind' | 'approvalId' | 'activityId'>): Draft | undefined
  /**
   * Begins a draft with a text, in place of one about the same.
   * @throws Failure when there are as many as are kept, or it cannot be written
   */
  begin(about: DraftSubject, text: string): Promise<Draft>
  read(draft: Draft): Promise<string>
  write(draft: Draft, text: string): Promise<void>
  /** @param sent what has been sent; absent: the person discards it. What was written since is kept. */
  remove(draft: Draft, sent?: string): Promise<void>
}

/** How many are kept. Nobody's words are thrown away for it: there is no further one until some are sent or discarded. */
export const mostDrafts = 200
export const noRoom = `There are ${mostDrafts} drafts, and no more are kept. Discard some first: :drafts`

/** The drafts of whoever a connection stands for, in `drafts` beside the profiles. */
export function draftsOf(env: Environment, { url, email, desk }: Connection): Drafts {
  const folder = join(dirname(profilesFile(env)), 'drafts')
  // Of a key of the environment only the server knows whose it is.
  return openDrafts(async () =>
    ownFolder(folder, url, email ?? (await desk.client.call('cli', 'GET /me')).email),
  )
}

/** @param folderOf where the drafts of this person at this server are; asked again after a failure */
function openDrafts(folderOf: () => Promise<string>): Drafts {
  let all: readonly Draft[] = []
  let last: Promise<unknown> = Promise.resolve()
  /** One after the other: what is read while something is removed would bring it back. */
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const turn = last.then(work)
    last = turn.catch(() => undefined)
    return turn
  }
  const hold = (drafts: readonly Draft[]) => {
    all = drafts.toSorted((a, b) => b.changedAt - a.changedAt)
    held.onChange?.()
  }
  let found: { folder: string; isTemporary: boolean } | undefined
  const folder = async () => (found ??= await writable(await folderOf())).folder
  const update = async (id: string) => {
    const now = await draftIn(join(await folder(), id))
    hold([...all.filter((each) => each.id !== id), ...(now ? [now] : [])])
    return now
  }
  const held: Drafts = {
    get all() {
      return all
    },
    get temporary() {
      return found?.isTemporary ? found.folder : undefined
    },
    load: () =>
      inTurn(async () => {
        const home = await folder()
        const names = await readdir(home).catch(noneThere)
        const read = await Promise.all(names.map((name) => draftIn(join(home, name))))
        const drafts = read.filter((each) => each !== undefined)
        const isWritten = await Promise.all(drafts.map(async (draft) => !(await isEmptyDraft(draft))))
        hold(drafts.filter((_, index) => isWritten[index]))
      }),
    find({ kind, approvalId, activityId }) {
      const ofKind = all.filter((draft) => draft.kind === kind)
      const own = ofKind.find((draft) => draft.id === idOf({ kind, approvalId, activityId }))
      const ofSameWork = (draft: Draft) =>
        approvalId !== undefined && draft.approvalId !== undefined && draft.activityId === activityId
      return own ?? (activityId === undefined ? undefined : ofKind.find(ofSameWork))
    },
    begin: (about, text) =>
      inTurn(async () => {
        if (all.length >= mostDrafts) throw new Failure(noRoom)
        const id = idOf(about)
        const own = join(await folder(), id)
        await mkdir(own, { recursive: true, mode: 0o700 })
        await writeWhole(join(own, subjectFile), JSON.stringify({ ...about, bytes: Buffer.byteLength(text) }))
        await writeWhole(join(own, `${about.kind}.md`), text)
        const draft = await update(id)
        if (!draft) throw new Failure(`${own} cannot be read`)
        return draft
      }),
    read: (draft) => readFile(draft.file, 'utf8'),
    write: (draft, text) =>
      inTurn(async () => {
        await writeWhole(draft.file, text)
        await update(draft.id)
      }),
    remove: (draft, sent) =>
      inTurn(async () => {
        const own = join(await folder(), draft.id)
        if (sent !== undefined) {
          const now = await readFile(draft.file, 'utf8').catch(() => undefined)
          if (now !== undefined && now.trimEnd() !== sent.trimEnd()) return
        }
        await rm(own, { recursive: true, force: true })
        hold(all.filter(({ id }) => id !== draft.id))
      }),
  }
  return held
}

/** The folder; where nothing can be written to it a new one for temporary files, so that people can work there as well. */
async function writable(folder: string): Promise<{ folder: string; isTemporary: boolean }> {
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 })
    await access(folder, constants.W_OK)
    return { folder, isTemporary: false }
  } catch {
    return { folder: await mkdtemp(join(tmpdir(), 'copydesk-drafts-')), isTemporary: true }
  }
}

/** Replaces a file at once: it is whole at every moment, and only its owner can read it. */
async function writeWhole(file: string, text: string): Promise<void> {
  const next = `${file}.${randomBytes(6).toString('hex')}.new`
  try {
    await writeFile(next, text, { mode: 0o600, flag: 'wx' })
    await rename(next, file)
  } catch (error) {
    await rm(next, { force: true })
    throw error
  }
}

function noneThere(error: NodeJS.ErrnoException): string[] {
  if (error.code === 'ENOENT') return []
  throw error
}

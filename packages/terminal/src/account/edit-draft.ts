import type { Draft, Drafts, DraftSubject } from './drafts.ts'

/** What has become of a text in an editor. */
export type Edited =
  /** Another text, which is a draft now. */
  | { outcome: 'changed'; draft: Draft; text: string }
  /** The editor ended with a fault; what it saved is a draft. */
  | { outcome: 'kept'; fault: unknown }
  /** The same text, so that there is no draft. */
  | { outcome: 'same'; fault?: unknown }
  /** Nothing at all: what was a draft before is one as it was. */
  | { outcome: 'emptied'; hadDraft: boolean }

/**
 * Lets somebody change a text in an editor. It is opened where drafts are kept, so that what is saved there outlives everything.
 * @param draft what was written before and is gone on with
 * @param edit opens the editor on a file; throws when that ends with a fault
 */
export async function editDraft(
  drafts: Drafts,
  { about, text, draft }: { about: DraftSubject; text: string; draft: Draft | undefined },
  edit: (file: string) => Promise<void>,
): Promise<Edited> {
  const before = draft && (await drafts.read(draft))
  const opened = draft ?? (await drafts.begin(about, text))
  let fault: unknown
  try {
    await edit(opened.file)
  } catch (error) {
    fault = error
  }
  const edited = unended(text, await drafts.read(opened))
  await drafts.load()
  if (edited.trim() === '') {
    if (before === undefined) await drafts.remove(opened)
    else await drafts.write(opened, before)
    return { outcome: 'emptied', hadDraft: before !== undefined }
  }
  if (edited === text) {
    // Else there is more beside it, such as what the editor has not saved.
    const isEmpty = !drafts.all.some(({ id }) => id === opened.id)
    if (draft ?? isEmpty) await drafts.remove(opened)
    return { outcome: 'same', ...(fault !== undefined && { fault }) }
  }
  return fault === undefined
    ? { outcome: 'changed', draft: opened, text: edited }
    : { outcome: 'kept', fault }
}

/** Editors end the last line; a text that had no such end has none afterwards. */
function unended(before: string, edited: string): string {
  return !before.endsWith('\n') && edited.endsWith('\n') ? edited.slice(0, -1) : edited
}

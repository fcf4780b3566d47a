import type { Draft, DraftSubject, Drafts } from './drafts.ts'

/** The outcome of editing a text. */
export type Edited =
  /** The text was changed and is a draft now. */
  | { outcome: 'changed'; draft: Draft; text: string }
  /** The editor failed; what it saved is a draft. */
  | { outcome: 'kept'; fault: unknown }
  /** The text is unchanged, so there is no draft. */
  | { outcome: 'same'; fault?: unknown }
  /** Nothing changed: an existing draft stays as it was. */
  | { outcome: 'emptied'; hadDraft: boolean }

/**
 * Opens a text in the user's editor. The file is in the folder of the draft, so that what is saved survives
 * this process.
 * @param draft an existing draft to continue
 * @param edit opens the editor on a file; throws when the editor fails
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
    // Otherwise the folder contains more, such as the editor's swap file.
    const isEmpty = !drafts.all.some(({ id }) => id === opened.id)
    if (draft ?? isEmpty) await drafts.remove(opened)
    return { outcome: 'same', ...(fault !== undefined && { fault }) }
  }
  return fault === undefined
    ? { outcome: 'changed', draft: opened, text: edited }
    : { outcome: 'kept', fault }
}

/** Editors append a line break to the last line; it is removed when the original text had none. */
function unended(before: string, edited: string): string {
  return !before.endsWith('\n') && edited.endsWith('\n') ? edited.slice(0, -1) : edited
}

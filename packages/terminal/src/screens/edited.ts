import { changesBetween } from '../paper/compare.ts'
import { diffRows } from '../paper/diff.ts'
import { emptyRow, row, span } from '../paper/row.ts'
import { resultScreen } from './result-screen.ts'
import type { Shell } from './shell.ts'

/**
 * Lets somebody change a text in their editor, shows what they changed, and asks whether that is what they want.
 * @returns the text when they say so, undefined otherwise
 */
export async function editedText(shell: Shell, text: string, question: string): Promise<string | undefined> {
  const edited = await shell.edit(text, 'text.md')
  if (edited === undefined) {
    shell.say('Nothing was changed', 'dim')
    return undefined
  }
  if (edited.trim() === '') {
    shell.say('An empty text cannot be approved; nothing was changed', 'warn')
    return undefined
  }
  const changes = changesBetween(text, edited)
  return new Promise((resolve) => {
    const answer = (given: string | undefined) => {
      shell.back()
      resolve(given)
    }
    const head = [row(span(question, 'warn')), emptyRow]
    const screen = resultScreen(
      'your changes',
      (width) => [...head, ...diffRows({ from: 0, to: 1, changes }, shell.paper(width))],
      [
        { key: 'y', label: 'yes, approve', run: () => answer(edited) },
        { key: 'n', label: 'no, leave it', run: () => answer(undefined) },
        { key: 'escape', label: 'leave it', quiet: true, run: () => answer(undefined) },
        { key: 'q', label: 'leave it', quiet: true, run: () => answer(undefined) },
      ],
    )
    shell.open(screen)
  })
}

import { wrongUsage } from './failure.ts'

/** Whether there is a terminal at which a person can be asked. */
export function canAsk(): boolean {
  return process.stdin.isTTY && process.stderr.isTTY
}

/**
 * Asks for confirmation of something that is hard to undo.
 * @param yes whether `--yes` was given
 * @returns false when the user declines
 * @throws Failure without a terminal
 */
export async function confirmed(question: string, yes: boolean | undefined): Promise<boolean> {
  if (yes) return true
  if (!process.stdin.isTTY) throw wrongUsage(`${question} Add --yes to confirm it.`)
  const { confirm } = await import('@clack/prompts')
  return (await confirm({ message: question, initialValue: false, output: process.stderr })) === true
}

/** Asks for a secret: it is not echoed. @returns undefined when the user cancels */
export async function askSecret(
  message: string,
  validate?: (text: string) => string | undefined,
): Promise<string | undefined> {
  const { isCancel, password } = await import('@clack/prompts')
  const answer = await password({
    message,
    output: process.stderr,
    ...(validate && { validate: (text) => validate(text ?? '') }),
  })
  return isCancel(answer) ? undefined : answer
}

/** Asks for a line. @returns undefined when the user cancels */
export async function askLine(message: string, initialValue?: string): Promise<string | undefined> {
  const { isCancel, text } = await import('@clack/prompts')
  const answer = await text({ message, output: process.stderr, ...(initialValue && { initialValue }) })
  return isCancel(answer) ? undefined : answer
}

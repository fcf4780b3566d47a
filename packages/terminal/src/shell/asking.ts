import { wrongUsage } from './failure.ts'

/** Whether there is somebody at this process who can be asked. */
export function canAsk(): boolean {
  return process.stdin.isTTY && process.stderr.isTTY
}

/**
 * Asks before something that is hard to take back.
 * @param yes whether `--yes` was given
 * @returns false when the person says no
 * @throws Failure where nobody can be asked
 */
export async function confirmed(question: string, yes: boolean | undefined): Promise<boolean> {
  if (yes) return true
  if (!process.stdin.isTTY) throw wrongUsage(`${question} Add --yes to say so without being asked.`)
  const { confirm } = await import('@clack/prompts')
  return (await confirm({ message: question, initialValue: false, output: process.stderr })) === true
}

/**
 * Asks for something that nobody may look at: it does not appear while it is typed.
 * @returns undefined when the person does not want to go on
 */
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

/** Asks for a line. @returns undefined when the person does not want to go on */
export async function askLine(message: string, initialValue?: string): Promise<string | undefined> {
  const { isCancel, text } = await import('@clack/prompts')
  const answer = await text({ message, output: process.stderr, ...(initialValue && { initialValue }) })
  return isCancel(answer) ? undefined : answer
}

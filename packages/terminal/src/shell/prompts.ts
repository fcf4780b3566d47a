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

/** Reads all of stdin. */
export async function textFromStdin(): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of process.stdin) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString('utf8')
}

/**
 * A secret from stdin, without the line break at its end: an argument would be visible to other users of the
 * machine.
 * @param what for the message, such as "password"
 * @throws Failure when stdin is empty
 */
export async function secretFromStdin(what: string): Promise<string> {
  const text = (await textFromStdin()).replace(/\r?\n$/, '')
  if (text === '') throw wrongUsage(`There is no ${what} on stdin.`)
  return text
}

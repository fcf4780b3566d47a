import { wrongUsage } from './failure.ts'

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

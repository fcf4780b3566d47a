import { wrongUsage } from './failure.ts'

/** Everything that is piped in. */
export async function textFromStdin(): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of process.stdin) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString('utf8')
}

/**
 * A secret from stdin, without the line's end: as an argument other users of the machine could see it.
 * @param what for the message, such as "password"
 * @throws Failure when there is nothing
 */
export async function secretFromStdin(what: string): Promise<string> {
  const text = (await textFromStdin()).replace(/\r?\n$/, '')
  if (text === '') throw wrongUsage(`There is no ${what} on stdin.`)
  return text
}

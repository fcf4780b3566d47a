import { wrongUsage } from '../failure.ts'

/**
 * A secret from stdin, without the line's end: as an argument other users of the machine could see it.
 * @param what for the message, such as "password"
 * @throws Failure when there is nothing
 */
export async function secretFromStdin(what: string): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of process.stdin) chunks.push(chunk as Buffer)
  const text = Buffer.concat(chunks)
    .toString('utf8')
    .replace(/\r?\n$/, '')
  if (text === '') throw wrongUsage(`There is no ${what} on stdin.`)
  return text
}

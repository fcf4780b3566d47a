/** Examples under the help of a command. */
export function example(...lines: string[]): string {
  return `\n${lines.length === 1 ? 'Example' : 'Examples'}:\n${lines.map((line) => `  $ ${line}`).join('\n')}`
}

/** The heading of the commands for a server, in the help. */
export const everyday = 'Everyday (against a server):'

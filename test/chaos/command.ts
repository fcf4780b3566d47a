/** A command-line agent to be killed with its server: it writes its prompt's beginning, line by line. */
let prompt = ''
for await (const chunk of process.stdin) prompt += String(chunk)
const write = (line: object) => process.stdout.write(`${JSON.stringify(line)}\n`)
const lines = [`# ${process.env['COPYDESK_RUN_ID']}`, '', ...prompt.slice(0, 200).split('\n')]
for (const line of lines) {
  write({ type: 'delta', text: `${line}\n` })
  await new Promise((resolve) => setTimeout(resolve, 5))
}

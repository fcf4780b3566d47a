import { type Command, InvalidArgumentError } from 'commander'
import { wrongUsage } from './failure.ts'
import { everyday, example } from './help.ts'

/** `api`: any request to the surface of the user. */
export function apiCommand(program: Command): void {
  program
    .command('api')
    .description(
      'send any request to /cli/v1, or with a login of a tenant to /dashboard/v1, and print the response',
    )
    .helpGroup(everyday)
    .argument('<method>', 'GET, POST, PATCH, PUT or DELETE', method)
    .argument('<path>', 'path after that, such as /queue')
    .option('--query <name=value>', 'parameter of the query; may be given several times', pair, [])
    .option('--body <json>', 'request body; `-` reads it from stdin')
    .addHelpText(
      'after',
      example(
        'copydesk api GET /queue --query status=failed --query limit=5',
        'copydesk api POST /activities/01J9ZX6T4QH8C3V5N7M2K0B1AD/pause --body \'{"reason":"Wait"}\'',
      ),
    )
    .action(async (verb: string, path: string, options: Options, command: Command) => {
      const { sendRequest } = await import('./send-request.ts')
      await sendRequest(verb, path, options, command)
    })
}

export interface Options {
  query: Array<[name: string, value: string]>
  body?: string
}

function method(text: string): string {
  const upper = text.toUpperCase()
  if (/^(?:GET|HEAD|POST|PUT|PATCH|DELETE)$/.test(upper)) return upper
  throw new InvalidArgumentError('It must be GET, POST, PATCH, PUT or DELETE.')
}

function pair(text: string, before: Options['query']): Options['query'] {
  const at = text.indexOf('=')
  if (at < 1) throw wrongUsage(`--query ${text}: write it as name=value.`)
  return [...before, [text.slice(0, at), text.slice(at + 1)]]
}

/** One message of a stream of server-sent events. */
export interface Told {
  id: string | undefined
  event: string
  data: Record<string, unknown>
}

/**
 * Reads messages until the server closes the stream, or until one is the last that is wanted.
 * @param enough says of a message that nothing after it is wanted
 */
export async function readStream(
  response: Response,
  enough: (told: Told) => boolean = () => false,
): Promise<Told[]> {
  if (!response.ok || !response.body)
    throw new Error(`no stream: ${response.status} ${await response.text()}`)
  const messages: Told[] = []
  let text = ''
  for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
    text += chunk
    for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
      const told = parse(text.slice(0, end))
      text = text.slice(end + 2)
      if (!told) continue
      messages.push(told)
      if (enough(told)) return messages
    }
  }
  return messages
}

/** @returns undefined for a heartbeat */
function parse(frame: string): Told | undefined {
  const field = (name: string) => new RegExp(`^${name}: ?(.*)$`, 'm').exec(frame)?.[1]
  const event = field('event')
  const data = field('data')
  return event === undefined || data === undefined
    ? undefined
    : { id: field('id'), event, data: JSON.parse(data) as Told['data'] }
}

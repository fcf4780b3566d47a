import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Answer, Incoming } from './dispatch.ts'

export function fromWeb(request: Request): Incoming {
  return {
    method: request.method,
    header: (name) => request.headers.get(name) ?? undefined,
    async read(limit) {
      const body = createCollector(limit)
      const reader = request.body?.getReader()
      for (let next = await reader?.read(); next && !next.done; next = await reader?.read()) {
        if (body.add(next.value)) continue
        await reader?.cancel()
        return undefined
      }
      return body.text()
    },
  }
}

export function fromNode(request: IncomingMessage): Incoming {
  return {
    method: request.method ?? '',
    header: (name) => {
      const value = request.headers[name.toLowerCase()]
      return Array.isArray(value) ? value.join(', ') : value
    },
    read(limit) {
      const body = createCollector(limit)
      // The stream was read before: waiting for its end would never finish.
      if (request.readableEnded) return Promise.resolve('')
      return new Promise((resolve, reject) => {
        request.on('error', reject)
        request.on('close', () => reject(new Error('The request ended before its body did')))
        request.on('end', () => resolve(body.text()))
        request.on('data', (chunk: Uint8Array) => {
          // The rest is read and dropped, so that the client can still read the response.
          if (!body.add(chunk)) resolve(undefined)
        })
      })
    },
  }
}

export function toNode(response: ServerResponse, { status, text, headers }: Answer): void {
  // Unread parts of the request would be parsed as the next one.
  const rest = response.req.complete ? {} : { connection: 'close' }
  response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8', ...rest, ...headers }).end(text)
}

function createCollector(limit: number) {
  const chunks: Uint8Array[] = []
  let size = 0
  return {
    /** @returns false when the limit is exceeded */
    add(chunk: Uint8Array): boolean {
      size += chunk.length
      if (size <= limit) chunks.push(chunk)
      return size <= limit
    },
    text(): string {
      const whole = new Uint8Array(size)
      let at = 0
      for (const chunk of chunks) {
        whole.set(chunk, at)
        at += chunk.length
      }
      return new TextDecoder().decode(whole)
    },
  }
}

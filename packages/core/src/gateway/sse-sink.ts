import { webResponse } from './reply.ts'
import type { RequestContext } from './request-context.ts'

/** Where the bytes of a stream go: node's response or a web stream. */
export interface SseSink {
  open(headers: string[]): void
  write(frame: Uint8Array): void
  /** Bytes that wait for the reader. */
  waiting(): number
  end(): void
  /** Breaks the connection off. */
  cut(): void
}

/** Node's own response, without a web stream in between. */
export class NodeSink implements SseSink {
  readonly #node: NonNullable<RequestContext['incoming']['node']>

  constructor(x: RequestContext, onGone: () => void) {
    this.#node = x.incoming.node as NonNullable<RequestContext['incoming']['node']>
    this.#node.res.once('close', onGone)
  }

  open(headers: string[]): void {
    const { req, res } = this.#node
    if (req.httpVersionMajor < 2) {
      // The end of the connection is the end of the stream: no chunk framing around every message.
      res.shouldKeepAlive = false
      res.useChunkedEncodingByDefault = false
      headers.push('Connection', 'close')
    }
    res.writeHead(200, headers)
    res.flushHeaders()
  }

  write(frame: Uint8Array): void {
    this.#node.res.write(frame)
  }

  waiting(): number {
    return this.#node.res.writableLength
  }

  end(): void {
    this.#node.res.end()
  }

  cut(): void {
    this.#node.res.destroy()
  }
}

export class WebSink implements SseSink {
  readonly #x: RequestContext
  readonly #body: ReadableStream<Uint8Array>
  #controller!: ReadableStreamDefaultController<Uint8Array>

  constructor(x: RequestContext, onGone: () => void) {
    this.#x = x
    this.#body = new ReadableStream<Uint8Array>(
      {
        start: (given) => void (this.#controller = given),
        cancel: onGone,
      },
      { highWaterMark: 0, size: (frame) => frame?.byteLength ?? 0 },
    )
  }

  open(headers: string[]): void {
    this.#x.response = webResponse(200, headers, this.#body)
  }

  write(frame: Uint8Array): void {
    this.#controller.enqueue(frame)
  }

  waiting(): number {
    return -(this.#controller.desiredSize ?? 0)
  }

  end(): void {
    this.#controller.close()
  }

  cut(): void {
    this.#controller.error(new Error('The reader of the stream is too slow'))
  }
}

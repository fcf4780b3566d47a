interface Body {
  error?: { code?: string; message?: string; field?: string; details?: unknown }
}

/** A response that is not 2xx, with the server's message. */
export class ApiError extends Error {
  override readonly name = 'ApiError'
  readonly status: number
  /** One of the contract's error codes, such as `CONFLICT`. */
  readonly code: string
  readonly field: string | undefined
  readonly details: unknown
  readonly requestId: string | undefined

  constructor(status: number, { error = {} }: Body, requestId?: string) {
    super(error.message ?? `The server answered ${status}`)
    this.status = status
    this.code = error.code ?? 'UNKNOWN'
    this.field = error.field
    this.details = error.details
    this.requestId = requestId
  }

  static async from(response: Response): Promise<ApiError> {
    const body = (await response.json().catch(() => ({}))) as Body
    return new ApiError(response.status, body, response.headers.get('x-request-id') ?? undefined)
  }
}

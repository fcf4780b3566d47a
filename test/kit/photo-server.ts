import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

const key = 'the-photo-key'

/** What is wrong with the next answers. */
export type PhotoFault = 'status' | 'text' | 'form' | undefined

/** Plays the searches of Openverse (`/v1/images/`) and Pexels (`/v1/search`) on 127.0.0.1, with any number of photos. */
export async function startPhotos() {
  const asked: Array<{ path: string; query: Record<string, string> }> = []
  let fault: PhotoFault
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '', 'http://photos.example')
    const query = Object.fromEntries(url.searchParams)
    asked.push({ path: url.pathname, query })
    const send = (status: number, body: string) =>
      void response.writeHead(status, { 'content-type': 'application/json' }).end(body)
    const { authorization } = request.headers
    const isA = url.pathname === '/v1/images/'
    if (authorization !== (isA ? `Bearer ${key}` : key)) return send(401, '{}')
    if (!isA && url.pathname !== '/v1/search') return send(404, '{}')
    if (fault === 'status') return send(503, '{}')
    if (fault === 'text') return send(200, 'busy')
    if (fault === 'form')
      return send(200, '{"results":[{"url":"javascript:alert(1)"}],"photos":[{"src":{}}]}')
    const photo = (n: number) => `https://photos.example/${n}.jpg`
    const numbers = Array.from({ length: Number(isA ? query['page_size'] : query['per_page']) }, (_, n) => n)
    const results = numbers.map((n) => ({
      id: String(n),
      title: `Photo ${n}`,
      url: photo(n),
      thumbnail: `${photo(n)}/thumb`,
      width: 1_200,
      height: 800,
      creator: 'Pia',
      license: 'by',
      license_version: '4.0',
      foreign_landing_url: 'https://pages.example/1',
    }))
    const photos = numbers.map((n) => ({
      id: n,
      alt: `Photo ${n}`,
      url: 'https://pages.example/1',
      width: 1_200,
      height: 800,
      photographer: 'Pia',
      src: { original: photo(n), medium: `${photo(n)}/thumb` },
    }))
    send(200, JSON.stringify(isA ? { result_count: 1, results } : { page: 1, photos }))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    host: `127.0.0.1:${port}`,
    baseUrl: `http://127.0.0.1:${port}`,
    key,
    asked,
    fail: (next: PhotoFault) => void (fault = next),
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      await new Promise<void>((resolve) => server.close(() => resolve()))
    },
  }
}

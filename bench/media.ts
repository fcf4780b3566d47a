import { openAsBlob } from 'node:fs'
import { open, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import sharp from 'sharp'
import { installationIn, memberTokens, seed } from './installation.ts'
import { type Bench, expectEqual, less, type Metrics } from './measure.ts'
import { type Subject, startSubject, temporaryFolder } from './processes.ts'

const images = 50
const pixels = { width: 4_000, height: 3_000 }
const width = 960
const filmBytes = 1_024 ** 3
const peer = 'sharp alone: no HTTP, no authentication, no cache, no cleaning'

/** Images of 12 megapixels uploaded and made smaller, and a video of a gigabyte uploaded and streamed. */
export const media: Bench = {
  name: 'media',
  long: true,
  async run(_size, say) {
    using folder = temporaryFolder()
    const installation = installationIn(folder.path)
    const { tenantId, reviewerIds } = await seed(installation, { approvals: 1, reviewers: 12 })
    const tokens = await memberTokens(tenantId, reviewerIds)
    const photos = await photosIn(folder.path)
    const bare = await bareSharp(photos, folder.path)
    await using server = await startSubject('servers/copydesk.ts', installation, folder.path)
    const resized = await resizing(server, tokens, photos, bare, say)
    return { ...resized, ...(await streaming(server, tokens.at(-1) as string, folder.path)) }
  },
}

async function photosIn(folder: string): Promise<string[]> {
  const noise = { type: 'gaussian', mean: 128, sigma: 24 } as const
  const paths: string[] = []
  for (let n = 0; n < images; n += 1) {
    const path = join(folder, `photo-${n}.jpg`)
    await sharp({ create: { ...pixels, channels: 3, background: '#888', noise } })
      .jpeg({ quality: 80 })
      .toFile(path)
    paths.push(path)
  }
  return paths
}

async function bareSharp(photos: readonly string[], folder: string) {
  await using subject = await startSubject('peers/sharp.ts', { photos, width }, folder)
  const before = await subject.ask<number>('memory')
  const cpu = await subject.ask<number>('cpu')
  await subject.ask('watch')
  await subject.ask('resize')
  const { peak } = await subject.ask<{ peak: number }>('watched')
  return { cpuMs: ((await subject.ask<number>('cpu')) - cpu) / 1_000 / images, mib: mib(peak - before) }
}

async function resizing(
  server: Subject,
  tokens: readonly string[],
  photos: readonly string[],
  bare: { cpuMs: number; mib: number },
  say: (line: string) => void,
): Promise<Metrics> {
  const ids: string[] = []
  for (const [n, path] of photos.entries())
    ids.push(await upload(server, tokenOf(tokens, n), path, 'image/jpeg'))
  const before = await server.ask<number>('memory')
  const cpu = await server.ask<number>('cpu')
  await server.ask('watch')
  for (let n = 0; n < images; n += 2)
    await Promise.all(
      [n, n + 1].map((each) => get(server, tokenOf(tokens, each), `${ids[each]}/content?w=${width}`)),
    )
  const { peak, stall } = await server.ask<{ peak: number; stall: number }>('watched')
  const cpuMs = ((await server.ask<number>('cpu')) - cpu) / 1_000 / images
  say(
    `  ${images} images: ${cpuMs.toFixed(0)} ms of processor time each, the loop stood still for ${stall.toFixed(0)} ms at most`,
  )
  return {
    'media.resize.cpu': less(cpuMs, 'ms', peer, bare.cpuMs),
    'media.resize.memory': less(mib(peak - before), 'MiB', peer, bare.mib),
  }
}

async function streaming(server: Subject, token: string, folder: string): Promise<Metrics> {
  const path = join(folder, 'film.mp4')
  await writeFile(
    path,
    Buffer.concat([Buffer.from([0, 0, 0, 16]), Buffer.from('ftypisom\0\0\0\0', 'latin1')]),
  )
  const file = await open(path, 'r+')
  await file.truncate(filmBytes)
  await file.close()
  const measured = async (work: () => Promise<void>) => {
    const before = await server.ask<number>('memory')
    await server.ask('watch')
    await work()
    return mib((await server.ask<{ peak: number }>('watched')).peak - before)
  }
  let id = ''
  const taken = await measured(async () => {
    id = await upload(server, token, path, 'video/mp4')
  })
  const sent = await measured(async () =>
    expectEqual('bytes', await get(server, token, `${id}/content`), filmBytes),
  )
  expectEqual('files', (await readdir(folder)).filter((name) => name === 'film.mp4').length, 1)
  return {
    'media.upload.memory': { value: taken, unit: 'MiB' },
    'media.stream.memory': { value: sent, unit: 'MiB', aim: '20 MiB more' },
  }
}

async function upload(server: Subject, token: string, path: string, type: string): Promise<string> {
  const body = new FormData()
  body.append('file', await openAsBlob(path, { type }), 'file')
  const response = await fetch(`${server.url}/media/v1/assets`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}` },
    body,
  })
  if (response.status !== 201) throw new Error(`${response.status} ${await response.text()}`)
  return ((await response.json()) as { id: string }).id
}

/** @returns how many bytes came */
async function get(server: Subject, token: string, path: string): Promise<number> {
  const response = await fetch(`${server.url}/media/v1/assets/${path}`, {
    headers: { authorization: `Bearer ${token}` },
  })
  if (!response.ok || !response.body) throw new Error(`${path}: ${response.status}`)
  if (path.includes('?') && response.headers.get('content-type') !== 'image/webp')
    throw new Error(`${path} was not made smaller`)
  let size = 0
  for await (const part of response.body) size += (part as Uint8Array).byteLength
  return size
}

const tokenOf = (tokens: readonly string[], n: number) => tokens[n % tokens.length] as string
const mib = (bytes: number) => bytes / 1024 / 1024

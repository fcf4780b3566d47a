import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { describe, expect, it } from 'vitest'
import { exampleRuntimes, startRuntime } from '../kit/examples.ts'
import { cli, temporaryFolder } from './process.ts'

const secret = 'a secret of two'

interface Report {
  ok: boolean
  steps: Array<{ name: string; ok: boolean; message: string; remedy?: string }>
}

/** A port that was free a moment ago: a runtime has to know where it reports before anybody listens there. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

async function agentTest(args: readonly string[], cwd: string) {
  return cli(['agent', 'test', ...args], { cwd, env: { SECRET: secret } })
}

interface Work {
  taskId: string
  taskToken: string
  callbackUrl: string
}

/** A runtime that is written carelessly. @param perform what it does with work, for which it has checked no secret */
async function createCareless(
  perform: (work: Work, call: (path: string, body?: object) => Promise<number>) => unknown,
) {
  const server = createServer((request, response) => {
    void text(request).then(async (body) => {
      response.writeHead(202).end()
      const work = JSON.parse(body) as Work
      // Work that no one has given to try it with.
      if (!work.callbackUrl) return
      const base = `${new URL(work.callbackUrl).origin}/agent/v1/runs/${work.taskId}`
      const call = async (path: string, body?: object) => {
        const headers = { authorization: `Bearer ${work.taskToken}`, 'content-type': 'application/json' }
        const answer = await fetch(base + path, {
          method: 'POST',
          headers,
          ...(body && { body: JSON.stringify(body) }),
        })
        await answer.text()
        return answer.status
      }
      // Its Copydesk is gone when everything has been tried.
      await Promise.resolve(perform(work, call)).catch(() => undefined)
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

describe('copydesk agent test', () => {
  it.each(exampleRuntimes())('finds nothing wrong with the example $name', async (example) => {
    using folder = temporaryFolder()
    const port = await freePort()
    await using runtime = await startRuntime(example, `http://127.0.0.1:${port}`, secret)
    const where = ['--url', runtime.url, '--secret-env', 'SECRET', '--port', String(port)]
    const { code, stdout } = await agentTest(['social_writer', ...where, '--json'], folder.path)
    const report = JSON.parse(stdout) as Report
    expect(report.steps.filter(({ ok }) => !ok)).toEqual([])
    expect(report.steps.map(({ name }) => name)).toEqual([
      'secret',
      'answer',
      'result',
      'text',
      'repetition',
      'end',
      'heartbeat',
      'cancel',
    ])
    expect({ code, ok: report.ok }).toEqual({ code: 0, ok: true })
  })

  it('reports the protocol errors of a faulty runtime, with remedies', async () => {
    using folder = temporaryFolder()
    await using careless = await createCareless(async (_, call) => {
      await call('/stream', { delta: 'One ', sequenceNum: 0 })
      await call('/stream', { delta: 'three', sequenceNum: 2 })
      await call('/result', { status: 'success', text: 'One three' })
      await call('/stream', { delta: ' and more', sequenceNum: 3 })
    })
    const args = [
      'blog_writer',
      '--url',
      careless.url,
      '--secret-env',
      'SECRET',
      '--port',
      String(await freePort()),
    ]
    const { code, stdout } = await agentTest(args, folder.path)
    expect(code).toBe(1)
    expect(stdout).toContain(
      'WRONG  secret: a request with a wrong secret is answered 202, one without a secret 202\n       → Compare the header',
    )
    expect(stdout).toMatch(/^ok {5}answer: the dispatch was answered 202 after \d+ ms$/m)
    expect(stdout).toContain('ok     result: delivered: success\n')
    expect(stdout).toContain('WRONG  text: number 0 is followed by 2\n')
    expect(stdout).toContain('WRONG  repetition: a run that is dispatched twice is delivered 2 times\n')
    expect(stdout).toContain('WRONG  end: the result is followed by stream\n')
    expect(stdout).toContain('WRONG  heartbeat: no heartbeat within the 10 s of a run\n')
    expect(stdout).not.toContain('cancel:')
  })

  it('reports that a runtime ignores a cancellation', async () => {
    using folder = temporaryFolder()
    const seen = new Set<string>()
    await using deaf = await createCareless(async ({ taskId }, call) => {
      if (seen.has(taskId)) return
      seen.add(taskId)
      const beat = setInterval(() => void call('/heartbeat').catch(() => undefined), 2_000)
      await call('/actions/add-comment', { text: 'I begin' })
      await call('/stream', { delta: 'On and on', sequenceNum: 0 })
      await call('/result', { status: 'success', text: 'On and on' })
      clearInterval(beat)
    })
    const args = ['blog_writer', '--url', deaf.url, '--port', String(await freePort())]
    const { code, stdout } = await agentTest([...args, '--json'], folder.path)
    const { steps } = JSON.parse(stdout) as Report
    expect(code).toBe(1)
    expect(steps.filter(({ ok }) => !ok)).toMatchObject([
      { name: 'cancel', message: 'text arrives after the cancellation' },
    ])
    expect(steps[0]).toMatchObject({ name: 'secret', message: 'not tested: --secret-env names none' })
  })

  it('stops at the first missing requirement: a response, a result', async () => {
    using folder = temporaryFolder()
    const port = String(await freePort())
    const nobody = `http://127.0.0.1:${await freePort()}/`
    const unanswered = await agentTest(['blog_writer', '--url', nobody, '--port', port], folder.path)
    expect(unanswered.code).toBe(1)
    expect(unanswered.stdout).toMatch(/^WRONG {2}answer: the dispatch was not answered: .*ECONNREFUSED/m)
    await using silent = await createCareless(() => undefined)
    const silence = await agentTest(
      ['blog_writer', '--url', silent.url, '--port', port, '--wait', '5'],
      folder.path,
    )
    expect(silence.stdout).toContain('WRONG  result: no result within 5 s, and 0 other requests\n')
    expect(silence.stdout).toContain(`→ Configure the runtime to report to http://127.0.0.1:${port}:`)
    await using wrong = await createCareless((_, call) => call('/result', { status: 'success', text: '' }))
    const refused = await agentTest(
      ['blog_writer', '--url', wrong.url, '--port', port, '--wait', '5'],
      folder.path,
    )
    expect(refused.stdout).toContain(
      'WRONG  result: the result was rejected with 400: A successful result needs text',
    )
  })

  it('reports errors of the command line', async () => {
    using folder = temporaryFolder()
    const url = ['--url', 'http://127.0.0.1:1/']
    const port = ['--port', String(await freePort())]
    const wrong = async (...args: string[]) => {
      const { code, stderr } = await agentTest(args, folder.path)
      expect(code, stderr).toBe(2)
      return stderr
    }
    expect(await wrong('nosuch', ...url, ...port)).toMatch(
      /There is no role nosuch\. There are: .*blog_writer/,
    )
    expect(await wrong('blog_writer', '--url', 'ftp://example.com')).toContain(
      '--url takes the http or https address',
    )
    expect(await wrong('blog_writer', ...url, '--secret-env', 'NONE')).toContain('NONE is empty or not set')
    expect(await wrong('blog_writer')).toContain('--url')
  })
})

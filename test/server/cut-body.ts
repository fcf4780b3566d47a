// Runs in a process of its own, because the fault that it looks for ends the process.
import { connect } from 'node:net'
import { assertBodySize, H3, toNodeHandler } from 'h3'
import { serve } from '../../packages/server/src/listen.ts'

const app = new H3()
app.get('/', () => 'still here')
app.post('/', async (event) => {
  assertBodySize(event, 1_000)
  return { length: (await event.req.text()).length }
})
const served = await serve(toNodeHandler(app), { port: 0 })

const answer = await new Promise<string>((resolve) => {
  let text = ''
  const socket = connect(served.port, '127.0.0.1')
  socket.write('POST / HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n')
  const chunk = `10000\r\n${' '.repeat(65_536)}\r\n`
  const timer = setInterval(() => socket.write(chunk), 1)
  socket.on('data', (data) => {
    text += data.toString()
    if (text.includes(' 413 ')) socket.destroy()
  })
  socket.on('error', () => {})
  socket.on('close', () => {
    clearInterval(timer)
    resolve(text)
  })
})
const second = await fetch(served.url)
// The connection may break before its answer is read; what counts is that the next one is served.
console.log(
  `${answer === '' || answer.includes(' 413 ') ? 'cut' : answer}, then ${second.status} ${await second.text()}`,
)
await served.close()

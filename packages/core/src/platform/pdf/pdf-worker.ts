import { parentPort, workerData } from 'node:worker_threads'
import { layOut, type PdfInfo } from './layout.ts'

const { markdown, info } = workerData as { markdown: string; info: PdfInfo }
const pdf = await layOut(markdown, info)
parentPort?.postMessage(pdf, [])

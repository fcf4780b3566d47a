import { parentPort } from 'node:worker_threads'

// Started by Bree at each instant of the calendar; what is due is asked for where the database is open.
parentPort?.postMessage('due', [])

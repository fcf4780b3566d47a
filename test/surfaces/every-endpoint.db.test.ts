import { knockOnEvery } from './knocking.ts'

knockOnEvery('platform')

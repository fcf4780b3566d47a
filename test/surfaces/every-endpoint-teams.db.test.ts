import { knockOnEvery } from './knocking.ts'

knockOnEvery('teams')

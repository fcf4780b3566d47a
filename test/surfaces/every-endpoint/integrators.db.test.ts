import { describeAccess } from '../access-matrix.ts'

describeAccess('integrators')

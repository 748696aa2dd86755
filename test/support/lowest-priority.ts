import { constants, setPriority } from 'node:os';

// Workers and their threads lower their own priority, which must not put them behind the tests that wait
// for them. What tests start inherits this.
setPriority(constants.priority.PRIORITY_LOW);

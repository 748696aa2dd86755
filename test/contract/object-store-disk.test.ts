import { freshDiskStore } from '../support/disk-store.ts';
import { describeObjectStore } from './object-store.ts';

describeObjectStore('disk', freshDiskStore);

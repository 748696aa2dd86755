import { useEffect, useState, useSyncExternalStore } from 'react';
import { answerOf } from '../../api/problem.ts';
import { useApi, useSession } from '../../api/session.tsx';
import { sendFile } from './send-file.ts';
import { copyCommand } from './upload-place.ts';
import { createUploads, isUnderWay } from './uploads.ts';

/** The uploads of this page. Leaving the page cancels them. */
export function useUploads() {
  const api = useApi();
  const { bucket } = useSession();
  const [uploads] = useState(() =>
    createUploads({
      link: (path) => answerOf(api.POST('/v1/console/uploads', { body: { path } })),
      send: sendFile,
      commandFor: ({ url, s3_path }, { name }) => copyCommand(url, bucket ?? '', s3_path, name),
    }),
  );
  const list = useSyncExternalStore(uploads.subscribe, uploads.list);
  const isBusy = list.some(isUnderWay);

  useEffect(() => uploads.stop, [uploads]);
  useEffect(() => {
    if (!isBusy) return;
    const ask = (event: BeforeUnloadEvent) => event.preventDefault();
    window.addEventListener('beforeunload', ask);
    return () => window.removeEventListener('beforeunload', ask);
  }, [isBusy]);

  return { uploads, list, isBusy };
}

AG p /* always

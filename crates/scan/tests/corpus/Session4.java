import javax.persistence.EntityManager;
import javax.persistence.EntityTransaction;

/** Work with an entity manager. */
public class Session4 {
    private final EntityManager manager;

    public Session4(EntityManager manager) {
        this.manager = manager;
    }

    public void save(Object o) {
        EntityTransaction t = manager.getTransaction();
        t.begin();
        try {
            manager.persist(o);
            t.commit();
        } catch (RuntimeException e) {
            t.rollback();
            throw e;
        }
    }

    public boolean saveIf(Object o, boolean really) {
        EntityTransaction t = manager.getTransaction();
        t.begin(); // expect: transaction-without-end
        if (!really) {
            return false;
        }
        manager.persist(o);
        t.commit();
        return true;
    }

    public void saveAll(Object[] all) {
        EntityTransaction t = manager.getTransaction();
        for (Object o : all) {
            t.begin();
            boolean ok = false;
            try {
                manager.persist(o);
                ok = true;
            } finally {
                if (ok) {
                    t.commit();
                } else {
                    t.rollback();
                }
            }
        }
    }

    public void saveAllWrong(Object[] all) {
        EntityTransaction t = manager.getTransaction();
        for (Object o : all) {
            t.begin(); // expect: transaction-without-end
            if (o == null) {
                continue;
            }
            manager.persist(o);
            t.commit();
        }
    }

    private void inTransaction(Runnable r) {
        EntityTransaction t = manager.getTransaction();
        t.begin();
        try {
            r.run();
        } catch (RuntimeException e) {
            t.rollback();
            throw e;
        }
        t.commit();
    }

    public void saveTwo(Object a, Object b) {
        inTransaction(() -> {
            manager.persist(a);
            manager.persist(b);
        });
    }
}

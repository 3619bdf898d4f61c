package javax.persistence;

public interface EntityManager {
    EntityTransaction getTransaction();

    void persist(Object o);
}
